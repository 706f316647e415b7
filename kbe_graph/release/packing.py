"""The folder of a version of a release: lines of questions, pictures, hashes, Croissant, datasheet and citation."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.export.release import MARK, ReleaseItem
from kbe_graph.files.opening import sha256_of
from kbe_graph.files.whole import replacing
from kbe_graph.types import ReleasedQuestion

FORMAT = "kbe release 1"
QUESTIONS = "questions.jsonl"
CHECKSUM = "release.sha256"
Row = dict[str, Any]


class PackedItem(NamedTuple):
    """A question to be released: its item with the pictures, its line, and what the release says of it."""

    item: ReleaseItem
    row: Row
    released: ReleasedQuestion


def write_folder(folder: Path, head: Row, items: Sequence[PackedItem], others: Iterable[ReleasedQuestion] = ()) -> str:
    """Write a version's files into an existing folder, and return the SHA-256 of its ``release.json``.

    ``head`` is what ``release.json`` says of the whole; ``others`` are the questions that were withdrawn.
    """
    with replacing(folder / QUESTIONS) as stream:
        for item, row, released in items:
            for picture in item.pictures:
                picture.place(folder / "images", "copy")
            stream.write(json.dumps(row | _marks(released) | {"canary": head["canary"]}, ensure_ascii=False) + "\n")
    questions = {each.question: _marks(each) for each in (*(packed.released for packed in items), *others)}
    files = {
        file.relative_to(folder).as_posix(): {"sha256": sha256_of(file), "bytes": file.stat().st_size}
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    summary = {"format": FORMAT, **head, "files": files, "questions": questions}
    content = json.dumps(summary, ensure_ascii=False, indent=1) + "\n"
    (folder / MARK).write_text(content, encoding="utf-8")
    digest = hashlib.sha256(content.encode()).hexdigest()
    (folder / CHECKSUM).write_text(f"{digest}  {MARK}\n", encoding="utf-8")
    return digest


def _marks(released: ReleasedQuestion) -> Row:
    """Return what a release says of a question, without its content."""
    names = ("status", "reason", "hash", "form", "mini")
    return {name: getattr(released, name) for name in names}
