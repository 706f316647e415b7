"""The CSV sheet for offline review: one line per question."""

import csv
from collections.abc import Iterator
from pathlib import Path

from kbe_graph.files.record import Record
from kbe_graph.files.records import read_rows
from kbe_graph.files.resources import cell_text, sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.review.review_record import FLAGS
from kbe_graph.review.sheet import NEW, Given, Items, given_review, require_given, sheet_words
from kbe_graph.study.study_files import rater_of
from kbe_graph.types.review import CRITERIA

SHOWN = ("id", "version", "question", "answer", "aliases", "options", "key path", "sources")
FILLED = ("verdict", *CRITERIA, "reason", *FLAGS, *NEW)


def write_csv_sheet(file: Path, items: Items) -> int:
    """Write questions with empty columns to fill in, and return their number; raises InputError.

    A cell that a spreadsheet would treat as a formula begins with an apostrophe.
    """
    with replacing(file) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("reviewer", "picture", *SHOWN, *FILLED))
        for item in items:
            words = sheet_words(item)
            shown = [words[name] for name in SHOWN]
            picture = ", ".join(item.sample.images)
            writer.writerow(["", *map(sheet_cell, (picture, *shown)), *("" for _ in FILLED)])
    return len(items)


def read_csv_sheet(file: Path, reviewer: str = "") -> list[Given]:
    """Read the decisions in a sheet; lines without a verdict are skipped.

    A line without a reviewer belongs to ``reviewer``, or else to the person that the file is named after. Raises
    DatasetError with file, line and field.
    """
    return require_given(file, _decisions(file, reviewer))


def _decisions(file: Path, reviewer: str) -> Iterator[Given]:
    for record in read_rows(file, ("id", "verdict")):
        if record.has("verdict"):
            words = {name: cell_text(record.optional(name)) for name in FILLED}
            own = reviewer if reviewer and not record.optional("reviewer") else rater_of(_as_rater(record))
            yield given_review(record, record.text("id"), record.optional("version"), own, words)


def _as_rater(record: Record) -> Record:
    return Record(record.file, {"rater": record.fields.get("reviewer", "")}, record.line, record.item)
