"""The pixels of a picture, and nothing else of its file: upright, with 8 bits a channel, without notes.

Whatever leaves the workspace comes from here: a model is sent, an export holds and a page shows the same picture.
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
"""The formats that every reader of an export takes."""

_ORIENTATION = 0x0112  # the tag of EXIF
_DEEP = frozenset({"I;16", "I;16B", "I;16L", "I;16N", "I", "F"})  # modes of more than 8 bits a channel
_FOR_PRINT = "CMYK"  # a mode whose colours readers show each in another way
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # of a JPEG's segment, within and after coded pixels
_SCAN, _END, _ICC = 0xDA, 0xD9, 0xE2
_NOTES = frozenset({0xE1, *range(0xE3, 0xEE), 0xEF, 0xFE})
"""The segments of a JPEG that hold no pixels: EXIF, XMP, those of makers, comments. JFIF, ICC and Adobe's are kept."""

_PNG_NOTES = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"})
_WEBP_NOTES = frozenset({b"EXIF", b"XMP "})
_WEBP_FLAGS = 0b1100  # of the header: there are EXIF and XMP


@contextmanager
def open_picture(file: Path, side: int = 0) -> "Iterator[Image.Image]":
    """Open a picture for its pixels: upright, with 8 bits a channel; a JPEG for ``side`` may be decoded smaller.

    Raises PictureError where it cannot be read or is no picture, where a part of it is missing, and for a bomb.
    """
    with _decoded(read_picture(file), file) as image:
        from PIL import ImageOps

        if side:
            image.draft("RGB", (side, side))
        ImageOps.exif_transpose(image, in_place=True)  # a copy of a large one would take as much memory again
        yield _with_8_bits(image)


def publish_picture(file: Path) -> bytes:
    """Return the picture as it may be given away: the same pixels, without EXIF, GPS, comments and whatever follows.

    A JPEG, PNG or WebP that lies upright keeps its coded pixels to the byte. A turned one is encoded anew; so is one
    for print (CMYK), of more than 8 bits a channel, or of another format. Raises PictureError as ``open_picture`` does.
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
    """Return the picture as RGB, its transparent parts white."""
    from PIL import Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Image.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture.convert("RGBA"))
    return ground.convert("RGB")


def require_picture(content: bytes, name: object) -> None:
    """Raise PictureError, with a name for the content, where it is no whole picture, or a bomb."""
    with _decoded(content, name) as image:
        image.draft("L", (1, 1))
        image.load()


def mime_of(content: bytes) -> str:
    """Name the media type of a picture that was published, as ``image/jpeg``."""
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
    """Scale more than 8 bits a channel down to them, white to white; of real numbers, white is 1 or the greatest."""
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
    picture.info.clear()  # else a comment would be written again
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
    """Give the segments that pixels need, each scan with its pixels, up to the end of the first picture."""
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
