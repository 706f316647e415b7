"""Sheets for people without these pages: CSV for spreadsheets, and tasks for Label Studio; written, and read back."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from xml.sax.saxutils import quoteattr

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source, read_rows
from kbe_graph.files.resources import cell_text, sheet_cell
from kbe_graph.files.whole import replacing, require_own
from kbe_graph.review.doubt import CRITERIA_ASKED
from kbe_graph.review.review_desk import MadeReview, ReviewDesk, new_review, seconds_of
from kbe_graph.review.state import ReviewedItem, made_question
from kbe_graph.review.study import Study, make_rating
from kbe_graph.types import OPINIONS, OPTION_FLAGS, Question, Review

SheetFormat = Literal["csv", "labelstudio"]
FORMATS: tuple[SheetFormat, ...] = get_args(SheetFormat)
NEW = {"new question": "text", "new answer": "answer", "new aliases": "aliases", "new options": "options"}
"""The columns for revisions, and the field of each."""
REVIEW_COLUMNS: Mapping[str, Sequence[str]] = {
    "verdict": ("approve", "reject", "revise"),
    **dict.fromkeys(CRITERIA_ASKED, OPINIONS),
    **dict.fromkeys(("reason", *OPTION_FLAGS, *NEW), ()),
}
"""The columns that a reviewer fills in, with the words that each takes; any text if there are none."""
SEVERAL = " | "
_HEAD, _TASKS = "reviewer,sample,picture,", '[\n {\n  "data": {'
_VIEW = '<View>\n  <Image name="img" value="$image"/>'


class SheetRow(NamedTuple):
    """An item on a sheet: the cells to read by column, with its id, and its first picture.

    The picture is the file's path, or a data URL for Label Studio.
    """

    cells: Mapping[str, str]
    sample: str
    picture: str = ""


class Given(NamedTuple):
    """What a person wrote on an item of a sheet, by column; ``record`` is its place in the file."""

    record: Record
    id: str
    reviewer: str
    words: Mapping[str, str]
    seconds: float = 0.0


class TakenReviews(NamedTuple):
    """The numbers of imported decisions of a file, and of those that already existed."""

    taken: int
    repeated: int


def review_rows(items: Iterable[ReviewedItem]) -> list[SheetRow]:
    """Build the rows of questions to review."""
    rows = []
    for question, options, version in items:
        cells = {
            "id": question.id,
            "version": version,
            "question": question.text,
            "answer": question.answer,
            "aliases": SEVERAL.join(question.aliases),
            "options": SEVERAL.join(options),
            "key path": _path_of(question),
            "sources": "; ".join(dict.fromkeys(step.source for step in question.key if step.source)),
        }
        rows.append(SheetRow(cells, question.sample))
    return rows


def _path_of(question: Question) -> str:
    steps = ((each.subject.label, each.relation, each.object.label) for each in question.key)
    return "; ".join(f"({', '.join(step)})" for step in steps)


def study_columns(study: Study) -> Mapping[str, Sequence[str]]:
    """Return the columns that a rater fills in, with the words that each takes."""
    return {**dict.fromkeys(study.kind.asked, study.kind.words), "reason": ()}


def study_rows(study: Study) -> list[SheetRow]:
    """Build the rows of a study's items."""
    rows = []
    for id_, (first, *second), answer in study.items:
        cells = {"study": study.name, "id": id_}
        for number, question in enumerate((first, *second) if second else (), start=1):
            cells |= {f"question {number}": question.text, f"answer {number}": question.answer}
        if not second:
            cells |= {"question": first.text, "answer": first.answer}
            cells |= {"aliases": SEVERAL.join(first.aliases), "key path": _path_of(first)}
        rows.append(SheetRow(cells | ({"given answer": answer.text} if answer else {}), first.sample))
    return rows


def write_sheet_file(
    file: Path,
    rows: Sequence[SheetRow],
    columns: Mapping[str, Sequence[str]],
    format_: SheetFormat,
    *,
    replace: bool = False,
) -> int:
    """Write rows with empty columns to fill in, and return their number; raises InputError.

    A file that is there is replaced if it is a sheet that nobody filled in, or if ``replace`` is set.

    In CSV, a cell that a spreadsheet would treat as a formula begins with an apostrophe. For Label Studio the labelling
    configuration is written beside the tasks (``.xml``).
    """
    if not rows:
        raise InputError("no questions to write; name another run or benchmark")
    require_own(file, partial(_is_empty, (*columns, "reviewer")), replace=replace)
    if format_ == "labelstudio":
        require_own(file.with_suffix(".xml"), lambda text: text.startswith(_VIEW), replace=replace)
    with replacing(file) as stream:
        if format_ == "csv":
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(("reviewer", "sample", "picture", *rows[0].cells, *columns))
            for row in rows:
                shown = map(sheet_cell, (row.sample, row.picture, *row.cells.values()))
                writer.writerow(["", *shown, *("" for _ in columns)])
        else:
            tasks = [
                {"data": {_control(name): text for name, text in row.cells.items()} | {"image": row.picture}}
                for row in rows
            ]
            json.dump(tasks, stream, ensure_ascii=False, indent=1)
    if format_ == "labelstudio":
        with replacing(file.with_suffix(".xml")) as stream:
            stream.writelines(f"{line}\n" for line in _configuration(rows[0].cells, columns))
    return len(rows)


def _is_empty(columns: Iterable[str], text: str) -> bool:
    """Return True for how a sheet begins whose columns nobody filled in, or tasks without annotations."""
    if not text.startswith(_HEAD):
        return text.startswith(_TASKS) and '"annotations"' not in text
    return not any(row.get(name) for row in csv.DictReader(StringIO(text)) for name in columns)


def _control(name: str) -> str:
    return name.replace(" ", "_")  # Label Studio allows no spaces


def _configuration(shown: Iterable[str], columns: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield _VIEW
    for name in shown:
        if name not in {"id", "version", "study"}:
            control = _control(name)
            yield f'  <Header value={quoteattr(name)}/>\n  <Text name="shown_{control}" value="${control}"/>'
    for name, words in columns.items():
        yield f"  <Header value={quoteattr(CRITERIA_ASKED.get(name, (name,))[0])}/>"
        needed = ' required="true"' if name == "verdict" else ""
        if words:
            choices = "".join(f"<Choice value={quoteattr(word)}/>" for word in words)
            yield f'  <Choices name="{_control(name)}" toName="img"{needed}>{choices}</Choices>'
        else:
            yield f'  <TextArea name="{_control(name)}" toName="img" rows="2" editable="true"/>'
    yield "</View>"


def study_in(file: Path) -> str:
    """Read the name of the study that a file belongs to; empty for a review."""
    first = next(iter(open_source(file).records()))
    data = first.fields.get("data")
    record = Record(file, data, first.line, first.item) if isinstance(data, Mapping) else first
    return record.optional("study")


def read_given(file: Path, columns: Mapping[str, Sequence[str]], reviewer: str = "") -> list[Given]:
    """Read what people filled in on a sheet (CSV) or in an export of Label Studio (JSON); empty items are skipped.

    A line of a sheet belongs to the reviewer that it names, or else to ``reviewer``, or else to the person that the
    file is named after. Raises DatasetError with file, place and field, and for a file without any decision.
    """
    read = _read_tasks if open_source(file).container in {"json", "jsonl"} else _read_table
    given = list(read(file, columns, reviewer))
    if not given:
        raise DatasetError(file, f"nothing is decided; fill in {next(iter(columns))!r}")
    return given


def _read_table(file: Path, columns: Mapping[str, Sequence[str]], reviewer: str) -> Iterator[Given]:
    for record in read_rows(file, ("id", next(iter(columns)))):
        if "annotation_id" in record.fields:
            raise record.error("a CSV of Label Studio is incomplete; export as JSON")
        texts = {name: cell_text(record.optional(name)) for name in columns}
        words = {name: text.lower() if columns[name] else text for name, text in texts.items() if text}
        if words:
            own = cell_text(record.optional("reviewer")) or reviewer or file.name.split(".")[0]
            yield Given(record, record.text("id"), own, words)


def _read_tasks(file: Path, columns: Mapping[str, Sequence[str]], reviewer: str) -> Iterator[Given]:
    names = {_control(name): name for name in columns}
    for record in open_source(file).records():
        data = record.fields.get("data")
        if not isinstance(data, Mapping):
            raise record.error("'data' is not a mapping; export the reviewed questions again as JSON")
        task = Record(file, data, record.line, record.item)
        for annotation in _list_in(record, "annotations"):
            if not annotation.get("was_cancelled"):
                own = Record(file, annotation, record.line, record.item)
                words = dict(_words_of(own, names, columns))
                seconds = seconds_of(own.optional("lead_time"))
                yield Given(task, task.text("id"), _annotator(annotation.get("completed_by"), reviewer), words, seconds)


def _words_of(
    annotation: Record, names: Mapping[str, str], columns: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    for result in _list_in(annotation, "result"):
        name, value = names.get(str(result.get("from_name")), ""), result.get("value")
        if not name or not isinstance(value, Mapping):
            raise annotation.error(f"{result.get('from_name')!r} is no column of the exported labelling configuration")
        texts = Record(annotation.file, value, annotation.line, annotation.item)
        given = texts.texts("choices") if columns[name] else texts.texts("text")
        if columns[name] and len(given) > 1:
            raise annotation.error(f"{name!r} has {len(given)} choices; keep one")
        yield name, "\n".join(given)


def _annotator(completed_by: object, reviewer: str) -> str:
    if isinstance(completed_by, Mapping) and completed_by.get("email"):
        return str(completed_by["email"])
    number = completed_by.get("id") if isinstance(completed_by, Mapping) else completed_by
    return reviewer or ("" if number is None else f"annotator {number}")


def _list_in(record: Record, field: str) -> list[Mapping[str, Any]]:
    value = record.fields.get(field) or []
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise record.error(f"{field!r} is not a list of mappings; export the reviewed questions again as JSON")
    return value


def take_sheet(
    desk: ReviewDesk, file: Path, reviewer: str = "", *, study: Study | None = None, insist: bool = False
) -> TakenReviews:
    """Import the decisions of a file, or the ratings of a study, all or none, checked as typed ones are.

    Those imported before are skipped. ``insist`` accepts new wordings that a check refuses. Raises DatasetError with
    the place of an invalid one.
    """
    given = read_given(file, study_columns(study) if study else REVIEW_COLUMNS, reviewer)
    asked = study.rated if study else sorted({each.id for each in given})
    earlier = {_content(review) for review in desk.store.reviews(asked)}
    made = []
    for each in given:
        try:
            made.append(MadeReview(_rating(study, each)) if study else _decision(desk, each, insist=insist))
        except InputError as error:
            raise each.record.error(str(error)) from None
    fresh = [each for each in made if _content(each.review) not in earlier]
    if fresh:
        desk.write(fresh)
    return TakenReviews(len(fresh), len(given) - len(fresh))


def _content(review: Review) -> tuple[object, ...]:
    opinions = review.criteria, review.reason, review.options, made_question(review)
    return review.question, review.version, review.reviewer, review.verdict, *opinions


def _rating(study: Study, given: Given) -> Review:
    item = next((item for item in study.items if item.id == given.id), None)
    if item is None or given.record.optional("study") != study.name:
        raise InputError(f"{given.id!r} is not an item of study {study.name!r}; take one study at a time")
    note = given.words.get("reason", "")
    return make_rating(study, item, given.reviewer, given.words, note=note, seconds=given.seconds)


def _decision(desk: ReviewDesk, given: Given, *, insist: bool) -> MadeReview:
    words, revision = given.words, None
    if words.get("verdict") == "revise":
        new = {field: words[column] for column, field in NEW.items() if column in words}
        revision = {name: _names_of(text) if name in {"aliases", "options"} else text for name, text in new.items()}
    review = new_review(
        given.id,
        words.get("verdict", ""),
        given.reviewer,
        version=given.record.optional("version"),
        seconds=given.seconds,
        criteria=tuple((name, words[name]) for name in CRITERIA_ASKED if name in words),
        reason=words.get("reason", ""),
        options=tuple((option, flag) for flag in OPTION_FLAGS for option in _names_of(words.get(flag, ""))),
    )
    return desk.make(review, revision, insist=insist)


def _names_of(cell: str) -> tuple[str, ...]:
    return tuple(name for part in cell.splitlines() for each in part.split("|") if (name := each.strip()))
