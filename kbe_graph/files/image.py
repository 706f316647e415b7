"""Images of a benchmark: the key that annotations join by, the file, and bytes within a table."""

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
    """Return the key of an image name or id: a COCO id without leading zeros, else the file name's stem.

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
    """Where images are looked for: each folder in turn, by the path as given, by the file name, by the image's key.

    A file outside of all of them is no image, whatever leads there: a whole path, ``..`` or a link. Nor is anything but
    a regular file: a folder, a pipe, a device, a link that leads nowhere or round in a loop.
    """

    folders: Sequence[Path]

    def find(self, image: str, key: str = "") -> Path | None:
        """Return the image file of that path or name, or of that key (``image_id``), None if there is none."""
        file = next((path for path in self._files(image) if self._holds(path)), None)
        return file or self._by_key.get(key or image_id(image))

    def find_all(self, images: Sequence[str], key: str = "") -> tuple[Path, ...]:
        """Return the files of all images, the first found by its key too; none where one of them is missing."""
        keys = (key, *("" for _ in images[1:]))
        files = [file for image, own in zip(images, keys, strict=True) if (file := self.find(image, own))]
        return tuple(files) if len(files) == len(images) else ()

    def leads_out(self, image: str) -> bool:
        """Return True if the path as given leads to a file outside of the folders."""
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
    """Return True for a path to a regular file; False if ``Path.is_file`` raises, as for a name too long."""
    return os.path.isfile(path)  # noqa: PTH113


def _place(path: Path) -> Path:
    """Return the target of a path; for a loop of links, on which ``Path.resolve`` raises, the last one reached."""
    return Path(os.path.realpath(path))


def read_picture(file: Path) -> bytes:
    """Return the bytes of a picture's file, without ever waiting for them.

    Raises PictureError where it cannot be read or is too large, and where it is no file any more: a pipe, a device.
    """
    try:
        return read_whole(file)
    except OSError as error:
        problem = f"picture cannot be read ({error.strerror}); check the image folders"
        raise PictureError(file, problem) from None


def decode_base64(cell: str) -> bytes:
    """Return the bytes of an image in base64; raises ValueError, saying why.

    It may begin with ``data:`` in any case and with parameters, stand in ``b'...'``, be wrapped or unpadded, or be
    written in the letters of URLs.
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
    """Return the usual ending of an image's file by its first bytes, None for other content.

    >>> ending_of(b"GIF89a...")
    'gif'
    """
    return next((ending for magic, ending in _KINDS.items() if image.startswith(magic)), None)


def save_image(image: bytes, folder: Path | None) -> str:
    """Write an image into the folder, named by its content, and return the name; without a folder only name it.

    Raises ValueError for bytes that are no image, InputError where the folder cannot be written.
    """
    ending = ending_of(image)
    if ending is None:
        raise ValueError(f"not a JPEG, PNG, GIF, BMP or WebP image (starts with {image[:8]!r})")
    name = f"{hashlib.sha256(image).hexdigest()[:32]}.{ending}"
    if folder is not None and not (folder / name).exists():
        _write(folder / name, image)
    return name


def _write(file: Path, content: bytes) -> None:
    part = file.with_name(f".{file.name}.part")  # after a kill the same file is written again, and so is this
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        raise cannot_write(file, error) from None
    finally:
        with suppress(OSError):
            part.unlink()
