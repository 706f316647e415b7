"""The file formats for sending out questions and importing decisions, by name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.review.argilla import read_argilla, write_argilla
from kbe_graph.review.csv_sheet import read_csv_sheet, write_csv_sheet
from kbe_graph.review.html_sheet import read_html_sheet, write_html_sheet
from kbe_graph.review.label_studio import FLAT, read_label_studio, write_label_studio
from kbe_graph.review.sheet import Given, Items
from kbe_graph.study.item_form import is_form_file

LOG = "jsonl"


class SheetFormat(NamedTuple):
    """A format of sheets: its purpose, its writer and its reader.

    ``shows`` means that it includes images, ``tells`` that it includes the chain before each question.
    """

    about: str
    write: Callable[[Path, Items], int]
    read: Callable[[Path, str], list[Given]]
    shows: bool = False
    tells: bool = False


SHEETS = {
    "csv": SheetFormat("a sheet to fill in, without pictures", write_csv_sheet, read_csv_sheet),
    "html": SheetFormat(
        "the form of `kbe review` for a browser, pictures inside",
        write_html_sheet,
        read_html_sheet,
        shows=True,
        tells=True,
    ),
    "labelstudio": SheetFormat("tasks for Label Studio", write_label_studio, read_label_studio, shows=True),
    "argilla": SheetFormat("records for Argilla", write_argilla, read_argilla, shows=True),
}
"""The sheet formats; decisions can also be exchanged as a log (``jsonl``)."""
FORMATS = (LOG, *SHEETS)


def format_of(file: Path) -> str:
    """Detect the format of a file with decisions from its first record. Raises DatasetError for an empty file."""
    if is_form_file(file):
        return "html"
    source = open_source(file)
    first: Record | None = next(source.records(), None)
    names = first.fields.keys() if first else set()
    if FLAT in names:
        return "labelstudio"
    if source.container not in {"json", "jsonl"}:
        return "csv"
    if "data" in names:
        return "labelstudio"
    return "argilla" if "fields" in names else LOG
