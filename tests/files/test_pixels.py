"""Whatever leaves the workspace has the pixels of a picture: upright, of 8 bits, and nothing else of its file."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from kbe_graph.errors import PictureError
from kbe_graph.files.image import publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg

LARGE = Encoding(4096, 95)
PLACE = b"52.5200N"


def drawn() -> Image.Image:
    """A picture whose left half is red."""
    picture = Image.new("RGB", (32, 16), "blue")
    picture.paste("red", (0, 0, 16, 16))
    return picture


def opened(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def noted(orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = PLACE.decode()
    return exif


def save_jpeg(file: Path, **more: object) -> None:
    drawn().save(file, "JPEG", quality=90, comment=PLACE, **more)


def save_png(file: Path) -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Place", PLACE.decode())
    drawn().save(file, "PNG", pnginfo=notes, exif=noted())


def save_motion(file: Path) -> None:
    save_jpeg(file, exif=noted())
    file.write_bytes(file.read_bytes() + b"a film, " + PLACE)


WRITERS: dict[str, Callable[[Path], None]] = {
    "jpeg": lambda file: save_jpeg(file, exif=noted()),
    "progressive jpeg": lambda file: save_jpeg(file, exif=noted(), progressive=True),
    "jpeg with a film behind it": save_motion,
    "png": save_png,
    "webp": lambda file: drawn().save(file, "WEBP", exif=noted(), xmp=PLACE, lossless=True),
}


def test_notes_go_and_coded_pixels_stay(tmp_path: Path) -> None:
    for kind, write in WRITERS.items():
        file = tmp_path / "p"
        write(file)
        assert PLACE in file.read_bytes(), kind
        content = publish_picture(file)
        assert PLACE not in content, kind
        assert not opened(content).getexif(), kind
        assert opened(content).tobytes() == opened(file.read_bytes()).tobytes(), kind


def test_a_turned_picture_is_given_upright_as_the_model_is_sent_it(tmp_path: Path) -> None:
    for orientation in range(2, 9):
        for kind in ["JPEG", "PNG", "WEBP"]:
            file = tmp_path / "p"
            drawn().save(file, kind, exif=noted(orientation))
            given, sent = (opened(publish_picture(file)).convert("RGB"), opened(encode_jpeg(file, LARGE)))
            assert given.size == sent.size == ((16, 32) if orientation > 4 else (32, 16)), (orientation, kind)
            assert PLACE not in publish_picture(file), (orientation, kind)
            apart = np.abs(np.asarray(given, dtype=int) - np.asarray(sent, dtype=int))
            assert np.median(apart) <= 3, (orientation, kind)


def test_transparent_parts_are_given_white_as_the_model_is_sent_them(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    for mode, kind in (("RGBA", "PNG"), ("LA", "PNG"), ("RGBA", "WEBP"), ("RGBA", "GIF")):
        clear.convert(mode).save(tmp_path / "p", kind)
        for content in (publish_picture(tmp_path / "p"), encode_jpeg(tmp_path / "p", LARGE)):
            assert opened(content).convert("RGB").getpixel((4, 4)) == (255, 255, 255), (mode, kind)


def test_what_is_half_a_picture_or_a_bomb_is_refused(tmp_path: Path) -> None:
    save_jpeg(tmp_path / "cut.jpg")
    whole = (tmp_path / "cut.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) * 3 // 4])
    (tmp_path / "page.jpg").write_bytes(b"<html>not found</html>")
    (tmp_path / "magic.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    for name in ("cut.jpg", "page.jpg", "magic.png", "bomb.png"):
        with pytest.raises(PictureError, match="not a picture that can be read"):
            publish_picture(tmp_path / name)


def test_what_an_export_shows_of_an_odd_picture_is_what_a_model_is_sent(data: Path) -> None:
    for file in sorted((data / "cases" / "b21-odd-pictures" / "photos").iterdir()):
        if file.name != "cut.jpg":
            given, sent = (opened(publish_picture(file)).convert("RGB"), opened(encode_jpeg(file, LARGE)))
            assert given.size == sent.size, file.name
            apart = np.abs(np.asarray(given, dtype=int) - np.asarray(sent, dtype=int))
            assert np.median(apart) <= 3, file.name
