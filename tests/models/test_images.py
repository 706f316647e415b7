import asyncio
import base64
import gc
import io
import re
from pathlib import Path

import pytest
from mounts import small_disk
from PIL import Image

from kbe_graph.errors import DatasetError, ResourceError
from kbe_graph.models.images import Encoding, Images, encode_jpeg

USUAL = Encoding(768, 85)


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def test_a_picture_is_made_small_enough_and_never_larger(tmp_path: Path) -> None:
    Image.new("RGB", (1600, 400)).save(tmp_path / "wide.png")
    Image.new("RGB", (30, 20)).save(tmp_path / "small.png")
    assert opened(encode_jpeg(tmp_path / "wide.png", USUAL)).size == (768, 192)
    assert opened(encode_jpeg(tmp_path / "small.png", USUAL)).size == (30, 20)


def test_a_picture_is_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20)).save(tmp_path / "turned.jpg", exif=exif)
    picture = opened(encode_jpeg(tmp_path / "turned.jpg", USUAL))
    assert picture.size == (20, 40)
    assert not picture.getexif()


def test_every_mode_becomes_an_rgb_jpeg(tmp_path: Path) -> None:
    for mode in ["RGBA", "LA", "P", "L", "CMYK", "1", "I;16"]:
        file = tmp_path / ("picture.tiff" if mode in {"CMYK", "I;16"} else "picture.png")
        Image.new(mode, (8, 8)).save(file)
        picture = opened(encode_jpeg(file, USUAL))
        assert (picture.format, picture.mode) == ("JPEG", "RGB"), mode


def test_what_is_no_picture_is_told_with_its_path(tmp_path: Path) -> None:
    for content in [b"", b"GIF89a", b"<html>", b"\x89PNG\r\n\x1a\n broken"]:
        (tmp_path / "bad.png").write_bytes(content)
        with pytest.raises(DatasetError, match="bad\\.png: not a picture"):
            encode_jpeg(tmp_path / "bad.png", USUAL)
        with pytest.raises(DatasetError, match="none\\.png: picture cannot be read"):
            Images().sha256(tmp_path / "none.png")


def test_a_kept_picture_is_sent_as_it_was_kept(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    first = Images(tmp_path / "kept").uri_now(tmp_path / "red.png", USUAL)
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_bytes(b"of another encoder")
    second = asyncio.run(Images(tmp_path / "kept").uri(tmp_path / "red.png", USUAL))
    assert base64.b64decode(second.partition(",")[2]) == b"of another encoder"
    assert first != second


def test_the_memory_is_bounded_and_a_changed_file_is_seen(tmp_path: Path) -> None:
    async def uris(images: Images) -> list[str]:
        return list(await asyncio.gather(*(images.uri(tmp_path / f"{number}.png", USUAL) for number in (0, 1, 2, 0))))

    for number in range(3):
        Image.effect_noise((64, 64), 20 + number).save(tmp_path / f"{number}.png")
    images = Images(most_bytes=5000)
    first = asyncio.run(uris(images))
    assert first[0] == first[3]
    assert sum(len(uri) for uri in images._uris.values()) <= 5000
    Image.effect_noise((65, 64), 20).save(tmp_path / "0.png")
    assert asyncio.run(uris(images))[0] != first[0]


def test_a_full_disk_is_told_once_and_of_the_others_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(3):
        Image.new("RGB", (64, 64), (number, 0, 0)).save(tmp_path / f"{number}.png")

    async def ask() -> None:
        images = Images(disk / "pictures")
        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(images.uri(tmp_path / f"{number}.png", USUAL))

    with small_disk(tmp_path / "disk", "4k") as disk, pytest.raises(ExceptionGroup) as caught:
        asyncio.run(ask())
    told = caught.value.exceptions
    assert {type(error) for error in told} == {ResourceError}
    assert re.search(r"cannot keep the picture .*: No space left on device; make room there", str(told[0]))
    gc.collect()
    assert caplog.text == ""
