"""Reads a release from its folder, which may be foreign: ``release.json`` and the lines of questions, strictly."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.export.release import MARK
from kbe_graph.files.opening import MOST_TEXT, read_text, text_lines
from kbe_graph.files.record import parse_json
from kbe_graph.release.contents import content_of
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types import Graph, ItemStatus
from kbe_graph.types.question import Kind

Text = Annotated[str, StringConstraints(max_length=MOST_TEXT)]
_FORM = re.compile(r"form-\d{1,6}\.jsonl")
Number = Annotated[int, Field(ge=0, le=MOST_TEXT)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class QuestionEntry(_Strict):
    """What ``release.json`` says of a question; one that was withdrawn has no line."""

    status: ItemStatus
    reason: Text
    hash: Text
    file: Text = ""
    line: Text = ""
    pictures: list[Text] = []


class Made(_Strict):
    """What ``release.json`` says of how the questions were made."""

    settings: dict[Text, Text] = {}


class Manifest(_Strict):
    """The part of ``release.json`` that a folder is read by."""

    format: Literal["kbe release 1"]
    id: Text
    run: Text
    part: Text = ""
    canary: Text = ""
    made: Made = Made()
    files: dict[Text, Text]
    questions: dict[Text, QuestionEntry]


class KeyEdge(_Strict):
    """A triplet in the key of a line."""

    subject: Text
    relation: Text
    object: Text
    graph: Graph
    source: Text
    source_ref: Text


class QuestionLine(_Strict):
    """The line of a question."""

    id: Text
    sample: Text
    benchmark: Text
    split: Text
    run: Text
    hop: Number
    kind: Kind
    image: Text
    question: Text
    answer: Text
    key: list[KeyEdge]
    aliases: list[Text]
    options: list[Text]
    pictures: dict[Text, Text]
    licence: Text
    form: Number
    dates: dict[Text, Text]


class ReadLine(NamedTuple):
    """A line, and the content that its hash is of."""

    line: QuestionLine
    content: str


def release_folder(place: Path | str) -> Path:
    """Return the folder of a release that a path names: the folder, or its ``release.json``."""
    place = Path(place)
    return place.parent if place.name == MARK and not place.is_dir() else place


def is_release(place: Path | str) -> bool:
    """Return True for the folder of a release: one with ``release.json``; a name may be that of another folder."""
    return (release_folder(place) / MARK).exists()


def read_manifest(folder: Path) -> Manifest:
    """Read ``release.json`` of a folder; raises InputError if it is none of a release."""
    file, problem = folder / MARK, "a link is not followed"
    try:
        if not folder.is_symlink() and not file.is_symlink():
            return Manifest.model_validate_json(read_text(file))
    except ValidationError as error:
        problem = _first(error)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
    raise InputError(f"{str(file)!r} is not that of a release ({problem}); name the folder of one, or its {MARK}")


def read_lines(folder: Path, manifest: Manifest) -> Iterator[ReadLine]:
    """Read the lines of a folder's forms. Raises InputError and DatasetError; links are not followed."""
    files = {entry.file: id_ for id_, entry in manifest.questions.items() if entry.file}
    for name, id_ in sorted(files.items()):
        file = folder / name
        if not _FORM.fullmatch(name) or file.is_symlink():
            problem = f"{quoted([name])} is no file of a release; see `release verify`"
            raise InputError(f"question {quoted([id_])} in {str(folder)!r} is not as it was released: {problem}")
        for number, text in text_lines(file):
            row = parse_json(file, text, line=number)
            try:
                yield ReadLine(QuestionLine.model_validate(row), content_of(row))
            except ValidationError as error:
                problem = f"not the line of a question ({_first(error)}); see `release verify`"
                raise DatasetError(file, problem, line=number) from None


def _first(error: ValidationError) -> str:
    """Return where the first fault is, and what it is."""
    first = error.errors(include_url=False)[0]
    return on_one_line(f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}", 300)
