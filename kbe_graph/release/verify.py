"""Verification of a release's folder, which may be foreign: each byte that was changed, is missing or was added."""

import hashlib
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.export.release import MARK
from kbe_graph.files.opening import MOST_DOCUMENT, byte_lines, open_regular, read_text, sha256_of
from kbe_graph.release.packing import CHECKSUM, FORMAT
from kbe_graph.types import ItemStatus


class FileEntry(BaseModel):
    """What ``release.json`` says of a file."""

    sha256: str
    bytes: int


class QuestionEntry(BaseModel):
    """What ``release.json`` says of a question; one that was withdrawn has no line."""

    status: ItemStatus
    reason: str
    hash: str
    form: int
    mini: bool
    file: str = ""
    line: str = ""
    pictures: tuple[str, ...] = ()


class Manifest(BaseModel):
    """The part of ``release.json`` that a folder is read by."""

    format: str
    id: str
    version: int
    run: str
    files: dict[str, FileEntry]
    questions: dict[str, QuestionEntry]


class Fault(NamedTuple):
    """A file of a release that is not as it was made, the question that it concerns, if any, and what is wrong."""

    file: str
    question: str
    problem: str


class Verified(NamedTuple):
    """A folder that was verified: the version, the SHA-256 of its ``release.json``, its number of files, its faults."""

    id: str
    sha256: str
    files: int
    faults: tuple[Fault, ...]


def read_manifest(folder: Path) -> Manifest:
    """Read ``release.json`` of a folder; raises InputError if it is none of a release."""
    file = folder / MARK
    try:
        if folder.is_symlink() or file.is_symlink():
            problem = "a link is not followed"
        else:
            manifest = Manifest.model_validate_json(read_text(file))
            problem = "" if manifest.format == FORMAT else f"its format is {manifest.format!r}"
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"
    except (OSError, ValueError) as error:
        problem = str(error)
    if problem:
        raise InputError(f"{str(file)!r} is not that of a release ({problem}); name the folder of one")
    return manifest


def verify_folder(folder: Path, *, sha256: str = "") -> Verified:
    """Compare each file of a folder with ``release.json``, and that with its checksum and with ``sha256``, if given.

    Links are not followed, pipes and devices not opened, and nothing outside the folder is read. Raises InputError.
    """
    manifest, digest = read_manifest(folder), sha256_of(folder / MARK)
    checksum = f"{digest}  {MARK}\n".encode()
    entry_of_checksum = FileEntry(sha256=hashlib.sha256(checksum).hexdigest(), bytes=len(checksum))
    named = manifest.files | {CHECKSUM: entry_of_checksum}
    present = dict(_walk(folder, {f"{parent}/" for name in named for parent in PurePosixPath(name).parents}))
    problems = dict.fromkeys(named.keys() - present.keys(), "is missing")
    problems |= {
        name: problem or "was added" for name, problem in present.items() if problem or name not in {*named, MARK}
    }
    sound = {name: folder / name for name in named if name not in problems}
    problems |= {name: problem for name, file in sound.items() if (problem := _difference(file, named[name]))}
    if CHECKSUM in problems.keys() & sound.keys():
        problems[CHECKSUM] = f"is not the SHA-256 of {MARK}: one of the two was changed"
    if sha256 and sha256.lower() != digest:
        problems[MARK] = f"has the SHA-256 {digest}, not the one expected"
    faults = [
        Fault(name, question, problem)
        for name, problem in sorted(problems.items())
        for question in _questions(sound.get(name), name, manifest) or [""]
    ]
    return Verified(manifest.id, digest, len(present), tuple(faults))


def _walk(folder: Path, parents: Collection[str], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of each file in a folder, with what is wrong with its kind, if anything.

    Only folders that a release has are entered.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{above}{entry.name}"
            if entry.is_symlink():
                yield name, "is a link, and was not followed"
            elif entry.is_dir(follow_symlinks=False) and f"{name}/" in parents:
                yield from _walk(folder / entry.name, parents, f"{name}/")
            else:
                is_odd = not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False)
                yield name, "is a pipe or a device, and was not opened" if is_odd else ""


def _difference(file: Path, entry: FileEntry) -> str:
    size = file.stat().st_size
    if size != entry.bytes:
        return f"has {size:,} bytes instead of {entry.bytes:,}"
    if size > MOST_DOCUMENT:
        return f"has more than {MOST_DOCUMENT:,} bytes, and was not read"
    return "" if sha256_of(file) == entry.sha256 else "was changed"


def _questions(file: Path | None, name: str, manifest: Manifest) -> list[str]:
    """Find the questions that a file at fault concerns: those with a picture, or whose line is not as it was.

    ``file`` is None where there is none that may be read.
    """
    entries = manifest.questions.items()
    lines = {entry.line: id_ for id_, entry in entries if entry.file == name}
    if lines and file and file.stat().st_size <= MOST_DOCUMENT:
        with (
            suppress(OSError, DatasetError),
            open_regular(file) as stream,
        ):  # a line too long: all after it are at fault
            for line in byte_lines(file, stream):
                lines.pop(hashlib.sha256(line).hexdigest(), "")
    return [*lines.values(), *(id_ for id_, entry in entries if name in entry.pictures)]
