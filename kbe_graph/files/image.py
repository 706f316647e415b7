"""Images of a benchmark: the key that joins annotations, the file, and images embedded in tables."""

import base64
import binascii
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from kbe_graph.errors import PictureError
from kbe_graph.files.opening import read_whole
from kbe_graph.files.whole import cannot_write

_COCO = re.compile(r"(?:COCO_[a-z]+\d{4}_)?(\d{12})")
_DATA_HEAD = re.compile(r"data:[^,]*,", re.IGNORECASE)
_BYTES_LITERAL = re.compile(r"b?['\"](.*)['\"]")
_URL_SAFE = str.maketrans("-_", "+/")
_KINDS = {b"\xff\xd8\xff": "jpg", b"\x89PNG\r\n\x1a\n": "png", b"GIF8": "gif", b"BM": "bmp", b"RIFF": "webp"}


def image_id(name: str) -> str:
    """Return the key of an image name or id: a COCO id without leading zeros, or else the file name's stem.

    >>> image_id("COCO_val2014_000000297147.jpg"), image_id("train/cat.007.png")
    ('297147', 'cat.007')
    """
    file = PurePosixPath(name.replace("\\", "/")).name
    stem, dot, ending = file.rpartition(".")
    stem = stem if dot and stem and ending.isalnum() and not ending.isdecimal() else file
    match = _COCO.fullmatch(stem)
    return match[1].lstrip("0") or "0" if match else stem


@dataclass(frozen=True)
class ImageFolders:
    """The folders in which to look for images, in order: by the given path, then by file name, then by the image's key.

    A file outside all folders does not count, however it is reached: absolute path, ``..`` or link. Only regular files
    count: no folders, pipes, devices, broken links or link loops.
    """

    folders: Sequence[Path]

    def find(self, image: str, key: str = "") -> Path | None:
        """Return the image file with this path or name, or with this key (``image_id``); None if there is none."""
        file = next((path for path in self._files(image) if self._holds(path)), None)
        return file or self._by_key.get(key or image_id(image))

    def find_all(self, images: Sequence[str], key: str = "") -> tuple[Path, ...]:
        """Return the files of all images, using ``key`` for the first; empty if any of them is missing."""
        keys = (key, *("" for _ in images[1:]))
        files = [file for image, own in zip(images, keys, strict=True) if (file := self.find(image, own))]
        return tuple(files) if len(files) == len(images) else ()

    def leads_out(self, image: str) -> bool:
        """Return True if the given path leads to a file outside the folders."""
        return any(not self._holds(path) for path in self._files(image))

    def _files(self, image: str) -> Iterator[Path]:
        names = dict.fromkeys((image, PurePosixPath(image.replace("\\", "/")).name))
        paths = (folder / name for folder in self.folders for name in names if name)
        return filter(_is_file, paths)

    def _holds(self, path: Path) -> bool:
        place = _place(path)
        return any(place.is_relative_to(folder) for folder in self._places)

    @cached_property
    def _places(self) -> tuple[Path, ...]:
        return tuple(map(_place, self.folders))

    @cached_property
    def _by_key(self) -> Mapping[str, Path]:
        files = [path for folder in self.folders for path in sorted(_images(folder)) if self._holds(path)]
        return {image_id(path.name): path for path in reversed(files)}


def _images(folder: Path) -> list[Path]:
    endings = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp")
    paths = folder.iterdir() if folder.is_dir() else ()
    return [path for path in paths if path.suffix.lower() in endings and _is_file(path)]


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def _place(path: Path) -> Path:
    return Path(os.path.realpath(path))


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
