"""The files of a study: its sheet as CSV, its form as one HTML file, and the ratings read back from both."""

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError, PictureError
from kbe_graph.files.image import ImageFolders
from kbe_graph.files.opening import first_bytes, first_line
from kbe_graph.files.record import Record
from kbe_graph.files.records import read_rows, section_source
from kbe_graph.files.resources import cell_text, sheet_cell
from kbe_graph.files.stream import AS_TEXTS
from kbe_graph.files.whole import replacing
from kbe_graph.models.images import Encoding, Images
from kbe_graph.study.human_study import HumanStudy, StudyItem
from kbe_graph.text import name_fault
from kbe_graph.types import Sample
from kbe_graph.web.page_style import page_style


class Rating(NamedTuple):
    """A rater's words on an item, by column; empty columns are left out."""

    rater: str
    item: str
    words: Mapping[str, str]
    note: str = ""


def write_study_sheet(file: Path, study: HumanStudy, disputed: Mapping[str, Collection[str]] | None = None) -> int:
    """Write the items with empty columns to fill in as CSV, and return how many; raises InputError.

    ``disputed`` takes the items alone that raters disagree on, and names the columns that they do: a sheet for a third
    reader, who is not told who said what.
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
        return question.text, question.answer, " | ".join(question.aliases), "; ".join(question.path)
    return [text for question in item.questions for text in (question.text, question.answer)]


def study_name(file: Path) -> str:
    """Return the name of the study that a rater's file belongs to; raises DatasetError."""
    record = next(iter(_records(file)), None)
    if record is None:
        raise DatasetError(file, "holds no ratings; give what the form downloaded, or the sheet")
    return record.text("study")


def read_ratings(files: Sequence[Path], study: HumanStudy) -> list[Rating]:
    """Return the ratings in sheets (CSV), or in downloads of the form (JSON or CSV).

    A file without a rater's name is of the rater that it is named after. Items without any word are left out. Raises
    DatasetError with file, line and field for values that do not belong to the study, and for an item that a rater
    rates twice.
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
        raise record.error(f"'study' is {name!r}, that of other lines {study.name!r}; import one study at a time")
    if (id_ := record.text("id")) not in items:
        raise record.error(f"'id' is {id_!r}, which is no item of study {study.name!r}; take the line out")
    words = {column: word for column in study.kind.asked if (word := record.optional(column).lower())}
    for column, word in words.items():
        if word not in study.kind.words:
            taken = " or ".join(study.kind.words)
            raise record.error(f"{column!r} is {word[:60]!r}; write {taken}, or leave it empty")
    return Rating(rater_of(record), id_, words, cell_text(record.optional("note")))


def rater_of(record: Record) -> str:
    """Return the rater of a line: its ``rater``, else the file's name; raises DatasetError."""
    rater = cell_text(record.optional("rater")) or record.file.name.split(".")[0]
    if fault := name_fault(rater):
        raise record.error(f"'rater' is {rater!r}, which {fault}")
    return rater


def _records(file: Path, columns: Sequence[str] = ()) -> Iterable[Record]:
    """Return the lines of a sheet, or the answers of a form's file."""
    if not _is_form(first_line(first_bytes(file))):
        return read_rows(file, ("study", "id", *columns))
    source = section_source(file, "answers", each="answer")
    if not source.fields and source.head.get("answers") != []:
        raise DatasetError(file, "no list 'answers'; give what the form of the study downloaded")
    head = {name: source.head[name] for name in ("study", "rater") if name in source.head}
    return (Record(file, {**record.fields, **head}, item=record.item) for record in source.records())


def _is_form(line: str) -> bool:
    """Return True for the first line of a form's download: JSON that is no row of a table."""
    if not line.startswith("{"):
        return line.startswith("[")
    try:
        return "answers" in AS_TEXTS.decode(line)
    except (ValueError, RecursionError):
        return True


PICTURE = Encoding(side=640, quality=75)


def study_pictures(study: HumanStudy, samples: Mapping[str, Sample], folders: ImageFolders) -> dict[str, list[str]]:
    """Return the pictures of a study's samples as data URLs, scaled down; those that cannot be read are left out."""
    return sample_pictures({item.sample: samples[item.sample] for item in study.items}.values(), folders)


def sample_pictures(samples: Iterable[Sample], folders: ImageFolders) -> dict[str, list[str]]:
    """Return the pictures of samples as data URLs, scaled down; those that cannot be read are left out."""
    files = {sample.id: folders.find_all(sample.images, sample.image_id) for sample in samples}
    pictures = {id_: [url for file in own if (url := _data_url(file))] for id_, own in files.items()}
    return {id_: urls for id_, urls in pictures.items() if urls}


def _data_url(file: Path) -> str:
    try:
        return Images().uri_now(file, PICTURE)
    except PictureError:
        return ""


def write_study_form(file: Path, study: HumanStudy, pictures: Mapping[str, Sequence[str]]) -> None:
    """Write a study as a form; raters' browsers keep their ratings, to be downloaded at the end.

    ``pictures`` are data URLs by sample. All texts are escaped. Raises InputError where it cannot be written.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("kbe_graph.study", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    style = Markup(page_style("kbe_graph.study", "form.css"))  # noqa: S704 - our own files
    page = environment.get_template("form.html").render(study=study, pictures=pictures, style=style)
    with replacing(file) as stream:
        stream.write(page)
