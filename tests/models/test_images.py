import base64
import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from kbe_graph.errors import DatasetError
from kbe_graph.models.images import Encoding, Images, encode_jpeg

USUAL = Encoding(768, 85)


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def test_a_picture_is_made_small_enough_and_never_larger(tmp_path: Path) -> None:
    Image.new("RGB", (1600, 400)).save(tmp_path / "wide.png")
    Image.new("RGB", (30, 20)).save(tmp_path / "small.png")
    assert opened(encode_jpeg(tmp_path / "wide.png", USUAL)).size == (768, 192)
    assert opened(encode_jpeg(tmp_path / "small.png", USUAL)).size == (30, 20)


def test_what_is_no_picture_is_told_with_its_path(tmp_path: Path) -> None:
    for content in [b"", b"GIF89a", b"<html>", b"\x89PNG\r\n\x1a\n broken"]:
        (tmp_path / "bad.png").write_bytes(content)
        with pytest.raises(DatasetError, match="bad\\.png: not a picture"):
            encode_jpeg(tmp_path / "bad.png", USUAL)
        with pytest.raises(DatasetError, match="none\\.png: picture cannot be read"):
            Images().sha256(tmp_path / "none.png")


def test_a_kept_picture_is_sent_as_it_was_kept(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    first = Images(tmp_path / "kept").uri(tmp_path / "red.png", USUAL)
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_bytes(b"of another encoder")
    second = Images(tmp_path / "kept").uri(tmp_path / "red.png", USUAL)
    assert base64.b64decode(second.partition(",")[2]) == b"of another encoder"
    assert first != second


def test_the_memory_is_bounded_and_a_changed_file_is_seen(tmp_path: Path) -> None:
    def uris(images: Images) -> list[str]:
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda number: images.uri(tmp_path / f"{number}.png", USUAL), (0, 1, 2, 0)))

    for number in range(3):
        Image.effect_noise((64, 64), 20 + number).save(tmp_path / f"{number}.png")
    images = Images(most_bytes=5000)
    first = uris(images)
    assert first[0] == first[3]
    held = [number for number in range(3) if images.holds(tmp_path / f"{number}.png", USUAL)]
    assert held
    assert sum(len(first[number]) for number in held) <= 5000
    Image.effect_noise((65, 64), 20).save(tmp_path / "0.png")
    assert not images.holds(tmp_path / "0.png", USUAL)
    assert uris(images)[0] != first[0]
