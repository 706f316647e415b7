"""Verification of a release's folder, which may be foreign: each byte that was changed, is missing or was added."""

import hashlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from kbe_graph.brief import brief
from kbe_graph.errors import DatasetError
from kbe_graph.export.release import MARK
from kbe_graph.files.opening import MOST_DOCUMENT, byte_lines, open_regular, sha256_of
from kbe_graph.release.packing import CHECKSUM, checksum_of
from kbe_graph.release.unpacking import Manifest, read_manifest, release_folder

CHANGED = "was changed"
_OTHER = {MARK: "has not the SHA-256 expected", CHECKSUM: f"is not the SHA-256 of {MARK}: one of the two was changed"}


class Fault(NamedTuple):
    """A file of a release that is not as it was made, the question that it concerns, if any, and what is wrong."""

    file: str
    question: str
    problem: str


@brief("id files", table="faults: file question problem")
class Verified(NamedTuple):
    """A folder that was verified: the version, the SHA-256 of its ``release.json``, its number of files, its faults."""

    id: str
    sha256: str
    files: int
    faults: tuple[Fault, ...]


def verify_folder(folder: Path, *, sha256: str = "") -> Verified:
    """Compare each file of a folder with ``release.json``, and that with its checksum and with ``sha256``, if given.

    Links are not followed, pipes and devices not opened, and nothing outside the folder is read. Raises InputError.
    """
    folder = release_folder(folder)
    manifest, digest = read_manifest(folder), sha256_of(folder / MARK)
    checksum = hashlib.sha256(checksum_of(digest).encode()).hexdigest()
    named = manifest.files | {MARK: sha256.lower() or digest, CHECKSUM: checksum}
    parents = {f"{parent}/" for name in named for parent in PurePosixPath(name).parents}
    present = {name: _problem(folder / name, named.get(name, "")) for name in _walk(folder, parents)}
    faults = [
        Fault(name, question, problem)
        for name, problem in sorted((dict.fromkeys(named, "is missing") | present).items())
        if problem
        for question in _questions(folder / name, name, problem, manifest) or [""]
    ]
    return Verified(manifest.id, digest, len(present), tuple(faults))


def _walk(folder: Path, parents: Collection[str], above: str = "") -> Iterator[str]:
    """Yield the path of each file in a folder; only folders that a release has are entered."""
    for entry in folder.iterdir():
        name = f"{above}{entry.name}"
        if f"{name}/" in parents and entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry, parents, f"{name}/")
        else:
            yield name


def _problem(file: Path, digest: str) -> str:
    if file.is_symlink():
        return "is a link, and was not followed"
    if not file.is_file() and not file.is_dir():
        return "is a pipe or a device, and was not opened"
    if not digest:
        return "was added"
    if file.is_dir() or file.stat().st_size > MOST_DOCUMENT:
        return f"is a folder or has more than {MOST_DOCUMENT:,} bytes, and was not read"
    return "" if sha256_of(file) == digest else _OTHER.get(file.name, CHANGED)


def _questions(file: Path, name: str, problem: str, manifest: Manifest) -> list[str]:
    """Find the questions that a file at fault concerns: those with a picture, or whose line is not as it was."""
    entries = manifest.questions.items()
    lines = {entry.line: id_ for id_, entry in entries if entry.file == name}
    if lines and problem == CHANGED:
        with suppress(DatasetError), open_regular(file) as stream:  # a line too long: all after it are at fault
            for line in byte_lines(file, stream):
                lines.pop(hashlib.sha256(line).hexdigest(), "")
    return [*lines.values(), *(id_ for id_, entry in entries if name in entry.pictures)]
