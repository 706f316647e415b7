"""The folders of pictures, and which file in them a sample's picture is."""

import filecmp
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from kbe_graph.errors import InputError
from kbe_graph.types import Sample

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
