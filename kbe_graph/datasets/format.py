"""Common types of the benchmark formats, and the recognition of fields, whatever the names of their columns."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.record import BadRows, Record
from kbe_graph.files.records import LOOKED, RecordSource
from kbe_graph.text import quoted
from kbe_graph.types import Sample


@dataclass(slots=True)
class FileReading:
    """A report on how a file was read: its columns, answers and notes.

    ``fields`` are the columns by field, ``left_over`` those not read. ``answers`` counts the ways in which answers were
    given (``text``, ``letter``, ``number from 0``); ``notes`` counts omissions and problems, described in words.
    ``paths`` are the paths that a file gives of its embedded pictures, by the names under which these are saved.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    left_over: tuple[str, ...] = ()
    answers: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    paths: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a file: a table's columns, the annotations file, and the folder for embedded images.

    The reader reports in ``reading``, and reads each row within ``bad``.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    annotations: Path | None = None
    save_images: Path | None = None
    reading: FileReading = field(default_factory=FileReading)
    bad: BadRows = field(default_factory=BadRows)


class SampleRow(NamedTuple):
    """A sample as given in the file, and the record that it was read from.

    The sample's id is the file's own; so is its split, which may be empty.
    """

    record: Record
    sample: Sample


class Format(NamedTuple):
    """A benchmark format: the content it looks for (for messages), a test for this content, and a reader of samples.

    ``columns`` are the columns that the reader knows, by field, so that the remaining ones can be reported.
    """

    looks_for: str
    matches: Callable[[RecordSource], bool]
    rows: Callable[[RecordSource, ReadOptions], Iterator[SampleRow]]
    columns: Mapping[str, str] = {}


def majority(answers: Sequence[str]) -> str:
    """Return the most frequent answer; on a tie, the first one."""
    return Counter(answers).most_common(1)[0][0]


FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "questionId", "qid", "index", "idx", "pid", "qa_id"),
    "question": ("question", "prompt", "query", "question_text", "problem_text"),
    "answer": (
        *("answer", "gt", "gt_answer", "ground_truth", "gold", "correct_answer", "correct", "correct_option", "label"),
        *("answer_idx", "answer_index", "answer_id", "answerKey", "correct_choice_idx", "multiple_choice_answer"),
    ),
    "answers": ("answers", "direct_answers"),
    "image": (
        *(
            "image",
            "image_path",
            "file_path",
            "figure_path",
            "file_name",
            "img",
            "img_path",
            "image_file",
            "imgname",
            "img_name",
            "img_file",
        ),
        *("image_name", "image_filename", "image_local_name", "filename", "picture", "images", "data_id"),
    ),
    "image_id": ("image_id", "imageId"),
    "split": ("split",),
    "choices": ("choices", "options", "option"),
    "wrongs": ("wrongs", "distractors", "wrong_answers", "incorrect_answers"),
    "rationales": ("rationales",),
    "category": ("category", "subfield", "topic", "subject"),
}
"""The fields of a sample in a table, with the column names that are recognised unless the user maps others.

Capitals, spaces and underscores do not matter: ``Image Name`` is ``image_name``.
"""

ADDRESSES = (
    "image_url",
    "img_url",
    "image_src",
    "coco_url",
    "flickr_url",
    "flickr_300k_url",
    "flickr_original_url",
    "url",
)
"""Columns with the web address of a picture, the most durable first."""

CONVERSATIONS = ("conversations", "messages")
"""Columns that contain a conversation instead of a question and its answer."""

_OPTION_COLUMNS = re.compile(r"(?:(?i:choice|option|opt)s?[_ ]?)?([A-Z]|(?<=.)[a-z]|(?<=.)\d)")
_PICTURE_COLUMNS = re.compile(r"(?:image|img|picture)(?:s|\d+|list)")  # in plain letters


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table by field; ``options`` (by label) and ``pictures`` are fields with several columns.

    ``address`` is the column with the picture's web address, if no other column holds pictures; ``fields`` are all
    columns of the file.
    """

    fields: tuple[str, ...]
    by_field: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()
    address: str = ""

    def get(self, name: str) -> str:
        """Return the column of a field, or ``""``."""
        return self.by_field.get(name, "")

    def text(self, record: Record, name: str) -> str:
        """Return the text of a field in a row, ``""`` if it is empty or has no column; raises DatasetError."""
        return record.optional(self.by_field[name]) if name in self.by_field else ""

    def as_told(self) -> Mapping[str, str]:
        """Return the columns of each field as shown in the summary (``choices``: ``A, B, C``)."""
        several = {"choices": ", ".join(self.options.values()), "images": ", ".join(self.pictures)}
        others = several | {"address": self.address}
        return {**self.by_field, **{name: columns for name, columns in others.items() if columns}}

    def used(self) -> set[str]:
        """Return all columns that are read."""
        return {*self.by_field.values(), *self.options.values(), *self.pictures, self.address}


def has_name(fields: Iterable[str], *names: str) -> bool:
    """Return True if ``fields`` contain a usual column name for any of these fields of a sample."""
    plain = {plain_name(field) for field in fields}
    return any(plain_name(column) in plain for name in names for column in FIELDS[name])


@lru_cache(1024)
def plain_name(column: str) -> str:
    """Return the name of a column without what does not matter: capitals, spaces and underscores."""
    return re.sub(r"[\W_]", "", column).lower()


def recognise_table(source: RecordSource, mapped: Mapping[str, str]) -> Columns:
    """Recognise the columns of a table; the user's mapping takes precedence. Raises DatasetError."""
    fields = all_fields(source)
    _check_map(source, mapped, fields)
    by_field = _usual(fields, mapped)
    if "question" not in by_field and text_asks(source):
        by_field["question"] = "text"
    options = {} if {"choices", "wrongs"} & by_field.keys() else option_columns(fields, taken=by_field.values())
    pictures = tuple(name for name in fields if _PICTURE_COLUMNS.fullmatch(plain_name(name)))
    pictures = tuple(name for name in pictures if name not in by_field.values())
    pictures = () if "image" in mapped else pictures
    addresses = () if pictures or "image" in by_field else (name for name in ADDRESSES if name in fields)
    columns = Columns(fields, by_field, options, pictures, next(iter(addresses), ""))
    _check_columns(source.file, columns, mapped)
    return columns


def text_asks(source: RecordSource) -> bool:
    """Return True if the column ``text`` holds the questions, as in POPE: each of the first rows asks."""
    texts = [str(row.fields.get("text", "")) for row in islice(source.records(), LOOKED)]
    return bool(texts) and all("?" in text for text in texts)


def all_fields(source: RecordSource) -> tuple[str, ...]:
    """Return the fields of a source; if records can differ in theirs, the fields of all records."""
    if source.container not in {"json", "jsonl", "rows"}:
        return source.fields
    return tuple(dict.fromkeys(name for record in source.records() for name in record.fields))


def option_columns(fields: Iterable[str], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """Find columns with one option each, by label: ``A``, ``B`` ..., ``choice_a`` ..., ``option1`` ....

    They must share a prefix, and start with A, 0 or 1.
    """
    families: dict[str, dict[str, str]] = {}
    others = set(taken)
    for column in fields:
        if column not in others and (match := _OPTION_COLUMNS.fullmatch(column)):
            families.setdefault(column[: match.start(1)], {})[match[1].upper()] = column
    for labels in families.values():
        order = next((signs for signs in (ascii_uppercase, "0123456789", "123456789") if signs[0] in labels), "")
        family = {label: labels[label] for label in takewhile(labels.__contains__, order)}
        if len(family) > 1:
            return family
    return {}


def _check_map(source: RecordSource, mapped: Mapping[str, str], fields: Iterable[str]) -> None:
    for name, column in mapped.items():
        if name not in FIELDS:
            raise DatasetError(source.file, f"no field {name!r} to map; the fields are {', '.join(FIELDS)}")
        if column not in fields:
            raise DatasetError(source.file, f"no column {column!r} to map {name!r} to; found {quoted(fields)}")


def _usual(fields: Iterable[str], mapped: Mapping[str, str]) -> dict[str, str]:
    taken = {"answer", "answers"} if mapped.keys() & {"answer", "answers"} else set()
    own = {plain_name(column): column for column in reversed([*fields])}
    own |= {column: column for column in fields}
    columns = {name: next((each for each in names if each in own), "") for name, names in FIELDS.items()}
    plain = {name: next((each for each in map(plain_name, FIELDS[name]) if each in own), "") for name in FIELDS}
    usual = {name: own.get(columns[name] or plain[name], "") for name in FIELDS}
    if usual["image"] == "data_id" and usual["image_id"]:  # there it is the id of the row
        usual |= {"image": "", "id": usual["id"] or "data_id"}
    if usual["answers"] and usual["answer"] not in {"answer", "correct_choice_idx", "multiple_choice_answer"}:
        taken.add("answer")  # a label beside answers is not the answer
    given = {name: column for name, column in usual.items() if name not in taken and column not in mapped.values()}
    both = {**given, **mapped}
    return {name: both[name] for name in FIELDS if both.get(name)}


def _check_columns(file: Path, columns: Columns, mapped: Mapping[str, str]) -> None:
    fields, listed = columns.fields, quoted(columns.fields)
    problem = ""
    if not columns.get("question"):
        talk = next((name for name in CONVERSATIONS if name in fields), "")
        problem = f"no question: found {listed}; name its column with `columns` (question=COLUMN)"
        if talk:
            problem = (
                f"{talk!r} contains conversations, which have no single right answer; write each turn that "
                "has one as a row with 'question', 'answer' and 'image'"
            )
    elif not (columns.get("answer") or columns.get("answers")):
        problem = (
            f"no column of answers, as in a test split: found {listed}; give the split that has "
            "them, or name their column with `columns` (answer=COLUMN)"
        )
    elif "A" in fields and not columns.options and "A" not in {*mapped.values(), *columns.used()}:
        problem = "only one column of options, 'A'; a choice needs two, 'A' and 'B'"
    if problem:
        raise DatasetError(file, problem)


def left_over(fields: Iterable[str], used: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of a file that are not read, in order."""
    read = set(used)
    return tuple(name for name in fields if name not in read)
