"""Images: their files, embedded ones, and their publication without metadata.

Every picture that leaves the workspace comes from here: models, exports and pages get the same one, only the pixels,
upright, with 8 bits per channel.
"""

import base64
import binascii
import filecmp
import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError, PictureError
from kbe_graph.files.opening import read_whole
from kbe_graph.files.whole import cannot_write
from kbe_graph.types import Sample

if TYPE_CHECKING:
    from PIL import Image

_DATA_HEAD = re.compile(r"data:[^,]*,", re.IGNORECASE)
_BYTES_LITERAL = re.compile(r"b?['\"](.*)['\"]")
_URL_SAFE = str.maketrans("-_", "+/")
_KINDS = {b"\xff\xd8\xff": "jpg", b"\x89PNG\r\n\x1a\n": "png", b"GIF8": "gif", b"BM": "bmp", b"RIFF": "webp"}


def read_picture(file: Path) -> bytes:
    """Return the bytes of an image file, without ever blocking.

    Raises PictureError if the file cannot be read, is too large, or is not a regular file any more (a pipe, a device).
    """
    try:
        return read_whole(file)
    except OSError as error:
        problem = f"picture cannot be read ({error.strerror}); check the image folders"
        raise PictureError(file, problem) from None


def decode_base64(cell: str) -> bytes:
    """Decode a base64 image; raises ValueError with the reason.

    Accepts ``data:`` in any case with parameters, ``b'...'``, line breaks, missing padding and the URL-safe alphabet.
    """
    text = "".join(_DATA_HEAD.sub("", cell.strip(), count=1).split())
    if literal := _BYTES_LITERAL.fullmatch(text):
        text = literal[1]
    text = text.rstrip("=").translate(_URL_SAFE)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64 ({error})") from None


def ending_of(image: bytes) -> str | None:
    """Return the usual file extension of an image, judged by its first bytes; None for other content.

    >>> ending_of(b"GIF89a...")
    'gif'
    """
    return next((ending for magic, ending in _KINDS.items() if image.startswith(magic)), None)


def save_image(image: bytes, folder: Path | None) -> str:
    """Save an image in the folder, named by its content, and return the name; without a folder, only name it.

    Raises ValueError for bytes that are not an image, InputError if the folder cannot be written.
    """
    ending = ending_of(image)
    if ending is None:
        raise ValueError(f"not a JPEG, PNG, GIF, BMP or WebP image (starts with {image[:8]!r})")
    name = f"{hashlib.sha256(image).hexdigest()[:32]}.{ending}"
    if folder is not None and not (folder / name).exists():
        _write(folder / name, image)
    return name


def _write(file: Path, content: bytes) -> None:
    part = file.with_name(f".{file.name}.part")  # after a kill, the same file is written again and replaces this
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        raise cannot_write(file, error) from None
    finally:
        with suppress(OSError):
            part.unlink()


_KEPT = frozenset({"JPEG", "GIF", "BMP"})
"""The formats that are published without being encoded anew."""

_ORIENTATION = 0x0112  # EXIF tag
_DEEP = frozenset({"I;16", "I;16B", "I;16L", "I;16N", "I", "F"})  # modes with more than 8 bits per channel
_FOR_PRINT = "CMYK"  # a mode whose colours each reader shows differently
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")  # of a JPEG segment, inside or after the coded pixels
_SCAN, _END, _ICC = 0xDA, 0xD9, 0xE2
_NOTES = frozenset({0xE1, *range(0xE3, 0xEE), 0xEF, 0xFE})
"""The JPEG segments without pixel data: EXIF, XMP, makers' notes, comments. JFIF, ICC and Adobe segments are kept."""


@contextmanager
def open_picture(file: Path, side: int = 0) -> "Iterator[Image.Image]":
    """Open a picture upright, with 8 bits per channel; a JPEG may be decoded at a smaller size of at least ``side``.

    Raises PictureError if the file cannot be read, is not a complete picture, or is a decompression bomb.
    """
    with decode_picture(read_picture(file), file, side) as image:
        yield image


@contextmanager
def decode_picture(content: bytes, name: object, side: int = 0) -> "Iterator[Image.Image]":
    """Open the bytes of a picture as ``open_picture`` does, with ``name`` in errors."""
    with _decoded(content, name) as image:
        from PIL import ImageOps

        if side:
            image.draft("RGB", (side, side))
        ImageOps.exif_transpose(image, in_place=True)  # in place: a copy of a large picture would double the memory
        yield _with_8_bits(image)


def publish_picture(file: Path) -> bytes:
    """Return the picture for publication: the same pixels, without EXIF, GPS, comments and trailing data.

    The coded pixels of an upright JPEG are kept byte for byte, and a GIF or BMP as it is. Another picture is encoded
    anew, without loss as PNG: one that must be rotated, for print (CMYK), with more than 8 bits per channel, with
    transparent parts (which become white, as models see them), or in another format. Raises PictureError as
    ``open_picture`` does.
    """
    content = read_picture(file)
    with _decoded(content, file) as image:
        turned = image.getexif().get(_ORIENTATION, 1) in range(2, 9)
        strange = image.mode in {*_DEEP, _FOR_PRINT} or image.has_transparency_data
        kind = image.format or ""
        if kind in _KEPT and not (turned or strange):
            image.draft("L", (1, 1))
            image.load()
            return b"\xff\xd8" + b"".join(_jpeg_segments(content)) if kind == "JPEG" else content
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
        reason = str(error).partition(" <_io.")[0]
        raise PictureError(file, f"not a picture that can be read ({reason})") from None


def _with_8_bits(image: "Image.Image") -> "Image.Image":
    if image.mode not in _DEEP:
        return image
    plain = image.convert("F")
    _, greatest = plain.getextrema()
    factor = 255 / max(1.0, float(greatest)) if image.mode == "F" else 1 / 256  # type: ignore[arg-type]  # one channel
    return plain.point(lambda value: value * factor).convert("L")


def _encoded(image: "Image.Image", kind: str) -> bytes:
    picture = on_white(image)
    profile = image.info.get("icc_profile") if image.mode in {"RGB", "RGBA"} else None
    picture.info.clear()  # otherwise a comment would be written again
    stream = io.BytesIO()
    picture.save(stream, kind, quality=95, subsampling=0, icc_profile=profile)
    return stream.getvalue()


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


_COCO = re.compile(r"(?:COCO_[a-z]+\d{4}_)?(\d{12})")
IMAGE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp"})


def image_id(name: str) -> str:
    """Return the key of an image name or id: a COCO id without leading zeros, or else the file name's stem.

    >>> image_id("COCO_val2014_000000297147.jpg"), image_id("train/cat.007.png")
    ('297147', 'cat.007')
    """
    stem = _stem(name)
    match = _COCO.fullmatch(stem)
    return match[1].lstrip("0") or "0" if match else stem


def _stem(name: str) -> str:
    file = PurePosixPath(name.replace("\\", "/")).name
    stem, dot, ending = file.rpartition(".")
    return stem if dot and stem and ending.isalnum() and not ending.isdecimal() else file


@dataclass(frozen=True)
class ImageFolders:
    """The folders in which samples' pictures are: ``own`` are those of a sample, ``folders`` those of all others.

    In ``more``, pictures are looked for that are not in these. A file outside the folders does not count, however it is
    reached: absolute path, ``..`` or link. Only regular files count: no folders, pipes, devices, broken links or loops.
    """

    folders: Sequence[Path]
    own: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    more: Sequence[Path] = ()
    _indexes: dict[Path, dict[str, list[Path]]] = field(default_factory=dict, init=False, compare=False)

    def of(self, sample: Sample) -> tuple[Path, ...]:
        """Return the files of a sample's pictures; empty if one of them is missing. Raises InputError as ``find``."""
        names = (sample.image or sample.image_id, *sample.more_images)
        files = [file for name in names if (file := self.find(name, sample.id))]
        return tuple(files) if len(files) == len(names) else ()

    def find(self, name: str, sample: str = "") -> Path | None:
        """Return the file of a picture's path, or of its id (``image_id``); None if there is none.

        The folders of a path count. An id is the name without its ending, or the number of a COCO picture. Raises
        InputError if two different files fit.
        """
        for folders in (self.own.get(sample, self.folders), self.more):
            for files in (self._at_path(name, folders), self._by_id(name, folders)):
                if file := _only(name, [each for each in files if _is_within(each, folders)]):
                    return file
        return None

    def leads_out(self, name: str, sample: str = "") -> bool:
        """Return True if a path leads to a file outside the folders."""
        folders = self.own.get(sample, self.folders)
        return any(not _is_within(file, folders) for file in self._at_path(name, folders))

    def _at_path(self, name: str, folders: Sequence[Path]) -> list[Path]:
        return [path for folder in folders for path in _paths(folder, name) if os.path.isfile(path)]  # noqa: PTH113

    def _by_id(self, name: str, folders: Sequence[Path]) -> list[Path]:
        stem, key = _stem(name), image_id(name)
        is_id = stem == PurePosixPath(name).name
        places = [path for folder in folders for path in _paths(folder, name)] if is_id else []
        files = [file for path in places for file in self._index(path.parent).get(path.name, ())]
        if key != stem or (is_id and key.isdecimal()):
            files += [file for folder in folders for file in self._index(folder).get(f"COCO {key}", ())]
        return files

    def _index(self, folder: Path) -> dict[str, list[Path]]:
        if folder not in self._indexes:
            index = self._indexes[folder] = {}
            for file in sorted(folder.iterdir()) if os.path.isdir(folder) else ():  # noqa: PTH112 - a name may be too long
                if file.suffix.lower() in IMAGE_ENDINGS and os.path.isfile(file):  # noqa: PTH113
                    stem, key = _stem(file.name), image_id(file.name)
                    for each in {stem, stem if key == stem else f"COCO {key}"}:
                        index.setdefault(each, []).append(file)
        return self._indexes[folder]


def _paths(folder: Path, name: str) -> Iterator[Path]:
    """Yield the places of a path in a folder; the folder itself may be the one that the path names."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if parts:
        yield folder.joinpath(*parts)
    yield from (folder.joinpath(*parts[at:]) for at in range(1, len(parts)) if parts[at - 1] == folder.name)


def _is_within(file: Path, folders: Sequence[Path]) -> bool:
    place = Path(os.path.realpath(file))
    return any(place.is_relative_to(os.path.realpath(folder)) for folder in folders)


def _only(name: str, files: Sequence[Path]) -> Path | None:
    for other in files[1:]:
        if not filecmp.cmp(files[0], other, shallow=False):
            raise InputError(
                f"two pictures are called {name!r}, {str(files[0])!r} and {str(other)!r}; rename one, or load the "
                "benchmark again with only the folder of its own pictures"
            )
    return files[0] if files else None
