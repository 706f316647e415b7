"""The files of a study: its sheet as CSV, its form as one HTML file, and the ratings read from both."""

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.record import Record
from kbe_graph.files.records import read_rows
from kbe_graph.files.resources import cell_text, sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.study.human_study import HumanStudy, StudyItem, StudyQuestion
from kbe_graph.study.item_form import (
    FormFile,
    FormQuestion,
    ItemForm,
    form_answers,
    is_form_file,
    seconds_of,
    stored_pictures,
    write_forms,
)
from kbe_graph.text import name_fault


class Rating(NamedTuple):
    """A rater's words on an item by column, without empty columns, and the seconds taken (0: unknown)."""

    rater: str
    item: str
    words: Mapping[str, str]
    note: str = ""
    seconds: float = 0.0


def write_study_sheet(file: Path, study: HumanStudy, disputed: Mapping[str, Collection[str]] | None = None) -> int:
    """Write the items as CSV with empty columns to fill in, and return their number; raises InputError.

    ``disputed`` limits the sheet to items on which raters disagree, and names the columns in dispute: a sheet for a
    third reader, who does not see the earlier ratings.
    """
    items = [item for item in study.items if disputed is None or item.id in disputed]
    more = () if disputed is None else ("disputed",)
    with replacing(file) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("study", "rater", "id", "picture", *_text_columns(study), *study.kind.asked, "note", *more))
        for item in items:
            own = () if disputed is None else (" | ".join(disputed[item.id]),)
            cells = (study.name, "", item.id, sheet_cell(item.picture), *map(sheet_cell, _texts(item)))
            writer.writerow([*cells, *("" for _ in (*study.kind.asked, "note")), *own])
    return len(items)


def _text_columns(study: HumanStudy) -> tuple[str, ...]:
    if len(study.items[0].questions) == 1:
        return ("question", "answer", "aliases", "key path")
    return tuple(f"{name} {number}" for number in (1, 2) for name in ("question", "answer"))


def _texts(item: StudyItem) -> Iterable[str]:
    if len(item.questions) == 1:
        (question,) = item.questions
        return question.text, question.answer, " | ".join(question.aliases), "; ".join(map(str, question.path))
    return [text for question in item.questions for text in (question.text, question.answer)]


def study_name(file: Path) -> str:
    """Read the name of the study that a rater's file belongs to; raises DatasetError."""
    record = next(iter(_records(file)), None)
    if record is None:
        raise DatasetError(file, "contains no ratings; give the file that the form downloaded, or the completed sheet")
    return record.text("study")


def read_ratings(files: Sequence[Path], study: HumanStudy) -> list[Rating]:
    """Read the ratings in sheets (CSV) or downloads of the form (JSON).

    A file without a rater's name belongs to the rater after whom it is named. Items without ratings are omitted. Raises
    DatasetError with file, line and field for values that do not belong to the study and for an item that a rater rates
    twice, and for a file without ratings.
    """
    ratings: dict[tuple[str, str], tuple[Record, Rating]] = {}
    items = {item.id for item in study.items}
    for file in files:
        before = len(ratings)
        for record in _records(file, tuple(study.kind.asked)):
            rating = _rating(record, study, items)
            first, _ = ratings.setdefault((rating.rater, rating.item), (record, rating))
            if first is not record:
                place = f"{first.file} {first.place}"
                raise record.error(f"{rating.rater!r} rates {rating.item!r} here and in {place}; keep one of them")
        if not any(rating.words for _, rating in list(ratings.values())[before:]):
            raise DatasetError(file, f"no item is rated; fill in {', '.join(map(repr, study.kind.asked))}")
    return [rating for _, rating in ratings.values() if rating.words]


def _rating(record: Record, study: HumanStudy, items: Collection[str]) -> Rating:
    if (name := record.text("study")) != study.name:
        raise record.error(f"'study' is {name!r}, but {study.name!r} on other lines; import one study at a time")
    if (id_ := record.text("id")) not in items:
        raise record.error(f"'id' is {id_!r}, which is not an item of study {study.name!r}; remove the line")
    words = {column: word for column in study.kind.asked if (word := record.optional(column).lower())}
    for column, word in words.items():
        if word not in study.kind.words:
            taken = " or ".join(study.kind.words)
            raise record.error(f"{column!r} is {word[:60]!r}; write {taken}, or leave it empty")
    seconds = seconds_of(record.optional("seconds"))
    return Rating(rater_of(record), id_, words, cell_text(record.optional("note")), seconds)


def rater_of(record: Record) -> str:
    """Return the rater of a line: its ``rater``, otherwise the file's name; raises DatasetError."""
    rater = cell_text(record.optional("rater")) or record.file.name.split(".")[0]
    if fault := name_fault(rater):
        raise record.error(f"'rater' is {rater!r}, which {fault}")
    return rater


def _records(file: Path, columns: Sequence[str] = ()) -> Iterable[Record]:
    return form_answers(file, "study") if is_form_file(file) else read_rows(file, ("study", "id", *columns))


def write_study_form(file: Path, study: HumanStudy, pictures: Mapping[str, Sequence[str]]) -> int:
    """Write a study as a form, and return its number of items; ``pictures`` are data URLs by sample.

    Raises InputError if the file cannot be written.
    """
    forms = [
        ItemForm(
            item.id,
            [_form_question(question, alone=len(item.questions) == 1) for question in item.questions],
            study.kind.asked,
            study.kind.words,
            stored_pictures(pictures, item.sample),
            item.picture,
        )
        for item in study.items
    ]
    return write_forms(
        file,
        FormFile("study", study.name, "Questions about pictures", study.kind.about, forms, f"study {study.name}"),
        pictures,
    )


def _form_question(question: StudyQuestion, *, alone: bool) -> FormQuestion:
    words = [(question.text, False)]
    if not alone:
        return FormQuestion(words, question.answer)
    return FormQuestion(words, question.answer, question.aliases, path=question.path)
