"""Sets of files read as one: the shards in a folder, or the files that match a pattern."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from glob import glob, has_magic
from itertools import chain
from pathlib import Path

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import BOUNDS, Bounds, Tally
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource, open_source
from kbe_graph.text import quoted

_ENDINGS = (".parquet", ".jsonl", ".tsv", ".csv", ".json")  # the first extension with files in the folder is read
_NUMBERS = re.compile(r"[-_]?\d+(?:[-_]of[-_]\d+)?(?:[-_][0-9a-f]{12,})?$")  # as in train-00000-of-00004-0a1b2c3d4e5f


def data_files(place: Path) -> tuple[Path, ...]:
    """Return the files that a path stands for: itself, the shards in or below a folder, or the matches of a pattern.

    The names of the files in a folder must show that they are shards of one set. Raises DatasetError.
    """
    if place.is_dir():
        return _of_folder(place)
    if not place.exists() and has_magic(str(place)):
        files = tuple(Path(name) for name in sorted(glob(str(place), recursive=True)) if Path(name).is_file())  # noqa: PTH207
        if not files:
            raise DatasetError(place, "no file matches the pattern; check it")
        return files
    return (place,)


def set_name(files: Sequence[Path]) -> str:
    """Return the common name of files: the stem of a single file, or the first file's stem without its shard number."""
    stem = files[0].name.split(".")[0]
    return stem if len(files) == 1 else _NUMBERS.sub("", stem) or files[0].parent.name


def open_shards(files: Sequence[Path], bounds: Bounds = BOUNDS) -> RecordSource:
    """Open files as one source, in order; all need the container and, for tables, the columns of the first.

    Raises DatasetError; the limit on rows applies to all files together.
    """
    first = open_source(files[0], bounds)
    if len(files) == 1:
        return first
    sources = [first, *(open_source(file, bounds) for file in files[1:])]
    for source in sources:
        if source.container != first.container:
            raise DatasetError(source.file, f"is {source.container}, and {first.file.name!r} is {first.container}")
        if source.container not in {"json", "jsonl"} and set(source.fields) != set(first.fields):
            other = sorted(set(source.fields) ^ set(first.fields))
            raise DatasetError(source.file, f"does not have the columns of {first.file.name!r}: {quoted(other)} differ")

    def read() -> Iterator[Record]:
        tally = Tally(first.file, bounds)
        for record in chain.from_iterable(source.records() for source in sources):
            tally.add(0)
            yield record

    return replace(first, records=read)


def _of_folder(folder: Path) -> tuple[Path, ...]:
    paths = [path for path in sorted(folder.rglob("*")) if not path.name.startswith(".") and path.is_file()]
    for ending in _ENDINGS:
        files = tuple(path for path in paths if path.name.removesuffix(".gz").endswith(ending))
        names = list(dict.fromkeys(set_name((file, file)) for file in files))
        if len(names) > 1:
            pattern = folder / f"{names[0]}*{ending}"
            raise DatasetError(folder, f"contains several data sets, {quoted(names)}; name one, such as '{pattern}'")
        if files:
            return files
    raise DatasetError(folder, f"contains no data file ({', '.join(_ENDINGS)}); check the folder")
