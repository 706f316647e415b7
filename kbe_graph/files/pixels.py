"""Publication of pictures: only the pixels, upright, with 8 bits per channel, without metadata.

Every picture that leaves the workspace comes from here: models, exports and pages get the same one.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.errors import PictureError
from kbe_graph.files.image import ending_of, read_picture

if TYPE_CHECKING:
    from PIL import Image

_KEPT = frozenset({"JPEG", "PNG", "GIF", "BMP", "WEBP"})
"""The formats that every reader of an export accepts."""

_ORIENTATION = 0x0112  # EXIF tag
_DEEP = frozenset({"I;16", "I;16B", "I;16L", "I;16N", "I", "F"})  # modes with more than 8 bits per channel
_FOR_PRINT = "CMYK"  # a mode whose colours each reader shows differently
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # of a JPEG segment, inside or after the coded pixels
_SCAN, _END, _ICC = 0xDA, 0xD9, 0xE2
_NOTES = frozenset({0xE1, *range(0xE3, 0xEE), 0xEF, 0xFE})
"""The JPEG segments without pixel data: EXIF, XMP, makers' notes, comments. JFIF, ICC and Adobe segments are kept."""

_PNG_NOTES = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"})
_WEBP_NOTES = frozenset({b"EXIF", b"XMP "})
_WEBP_FLAGS = 0b1100  # header bits for EXIF and XMP


@contextmanager
def open_picture(file: Path, side: int = 0) -> "Iterator[Image.Image]":
    """Open a picture upright, with 8 bits per channel; a JPEG may be decoded at a smaller size of at least ``side``.

    Raises PictureError if the file cannot be read, is not a complete picture, or is a decompression bomb.
    """
    with _decoded(read_picture(file), file) as image:
        from PIL import ImageOps

        if side:
            image.draft("RGB", (side, side))
        ImageOps.exif_transpose(image, in_place=True)  # in place: a copy of a large picture would double the memory
        yield _with_8_bits(image)


def publish_picture(file: Path) -> bytes:
    """Return the picture for publication: the same pixels, without EXIF, GPS, comments and trailing data.

    The coded pixels of an upright JPEG, PNG or WebP are kept byte for byte. A picture that must be rotated is
    re-encoded; so is one for print (CMYK), with more than 8 bits per channel, or in another format. Raises PictureError
    as ``open_picture`` does.
    """
    content = read_picture(file)
    with _decoded(content, file) as image:
        turned = image.getexif().get(_ORIENTATION, 1) in range(2, 9)
        strange, kind = image.mode in {*_DEEP, _FOR_PRINT}, image.format or ""
        if kind in _KEPT and not (turned or strange):
            image.draft("L", (1, 1))
            image.load()
            return _without_notes(content, kind)
    with open_picture(file) as upright:
        return _encoded(upright, "JPEG" if kind in {"JPEG", "MPO"} else "PNG")


def on_white(picture: "Image.Image") -> "Image.Image":
    """Convert a picture to RGB on a white background."""
    from PIL import Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Image.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture.convert("RGBA"))
    return ground.convert("RGB")


def require_picture(content: bytes, name: object) -> None:
    """Raise PictureError, using ``name``, if the content is not a complete picture, or is a decompression bomb."""
    with _decoded(content, name) as image:
        image.draft("L", (1, 1))
        image.load()


def mime_of(content: bytes) -> str:
    """Return the media type of a published picture, such as ``image/jpeg``."""
    ending = ending_of(content) or "jpg"
    return f"image/{'jpeg' if ending == 'jpg' else ending}"


@contextmanager
def _decoded(content: bytes, file: object) -> "Iterator[Image.Image]":
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content)) as image:
            yield image
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PictureError(file, f"not a picture that can be read ({error})") from None


def _with_8_bits(image: "Image.Image") -> "Image.Image":
    if image.mode not in _DEEP:
        return image
    plain = image.convert("F")
    _, greatest = plain.getextrema()
    factor = 255 / max(1.0, float(greatest)) if image.mode == "F" else 1 / 256  # type: ignore[arg-type]  # one channel
    return plain.point(lambda value: value * factor).convert("L")


def _encoded(image: "Image.Image", kind: str) -> bytes:
    clear = kind == "PNG" and image.has_transparency_data
    picture = image.convert("RGBA" if clear else "RGB")
    profile = image.info.get("icc_profile") if image.mode in {"RGB", "RGBA"} else None
    picture.info.clear()  # otherwise a comment would be written again
    stream = io.BytesIO()
    picture.save(stream, kind, quality=95, subsampling=0, icc_profile=profile)
    return stream.getvalue()


def _without_notes(content: bytes, kind: str) -> bytes:
    if kind == "JPEG":
        return b"\xff\xd8" + b"".join(_jpeg_segments(content))
    if kind == "PNG":
        return content[:8] + b"".join(_png_chunks(content))
    return _webp_without_notes(content) if kind == "WEBP" else content


def _jpeg_segments(content: bytes) -> Iterator[bytes]:
    at = 2
    while found := _MARKER.search(content, at):
        start, marker = found.start(), content[found.start() + 1]
        if marker == _END:
            break
        end = start + 2 + int.from_bytes(content[start + 2 : start + 4])
        if marker == _SCAN:
            after = _MARKER.search(content, end)
            end = after.start() if after else len(content)
        if marker not in _NOTES and (marker != _ICC or content[start + 4 : start + 15] == b"ICC_PROFILE"):
            yield content[start:end]
        at = end
    yield b"\xff\xd9"


def _png_chunks(content: bytes) -> Iterator[bytes]:
    at = 8
    while at + 8 <= len(content):
        kind, end = content[at + 4 : at + 8], at + 12 + int.from_bytes(content[at : at + 4])
        if kind not in _PNG_NOTES:
            yield content[at:end]
        if kind == b"IEND":
            return
        at = end


def _webp_without_notes(content: bytes) -> bytes:
    chunks, at = bytearray(), 12
    while at + 8 <= len(content):
        kind, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
        chunk = bytearray(content[at : at + 8 + size + size % 2])
        if kind == b"VP8X":
            chunk[8] &= ~_WEBP_FLAGS
        if kind not in _WEBP_NOTES:
            chunks += chunk
        at += 8 + size + size % 2
    return b"RIFF" + (len(chunks) + 4).to_bytes(4, "little") + b"WEBP" + bytes(chunks)
