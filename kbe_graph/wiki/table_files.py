"""Export of a benchmark's tables to JSON, CSV, LaTeX, Markdown, and charts."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra
from kbe_graph.files.whole import replacing
from kbe_graph.show.charts import Chart, DrawnShare, difficulty_chart, share_chart
from kbe_graph.show.report_tables import write_charts
from kbe_graph.show.tables import write_csv_tables, write_json_object, write_latex_tables
from kbe_graph.wiki.answer_figures import SPLITS
from kbe_graph.wiki.tables import WikiTables

_DRAWN = SPLITS[:-1]  # predicates are too many for a chart


class TableFormat(NamedTuple):
    """A format of the tables: its description for help texts, and a function that writes a file or folder."""

    about: str
    write: Callable[[WikiTables, Path], None]


def wiki_charts(tables: WikiTables) -> Iterator[Chart]:
    """Yield the charts of difficulty and of accuracy by class, if any model was judged."""
    if not tables.answers.accuracy:
        return
    yield difficulty_chart(tables.answers.difficulty, len(tables.answers.models))
    shares = [
        DrawnShare(row.by, row.model, row.name, row.accuracy, row.low, row.high)
        for row in tables.answers.accuracy
        if row.by in _DRAWN
    ]
    about = "Accuracy of each model by class of the questions, with 95 % intervals."
    yield share_chart("accuracy", "Accuracy by class", about, shares)


def write_markdown(tables: WikiTables, file: Path) -> None:
    """Write all tables as one Markdown file; raises InputError."""
    with replacing(file) as stream:
        stream.write(tables.markdown())


TABLE_FORMATS: Mapping[str, TableFormat] = {
    "json": TableFormat("The tables as one JSON file.", lambda own, file: write_json_object(own.as_mapping(), file)),
    "csv": TableFormat("The tables as CSV files.", lambda own, folder: write_csv_tables(own.tables, folder)),
    "latex": TableFormat("The tables as LaTeX files.", lambda own, folder: write_latex_tables(own.tables, folder)),
    "markdown": TableFormat("The tables as one Markdown file.", write_markdown),
    "figures": TableFormat("The charts as SVG and PNG.", lambda own, folder: write_charts(wiki_charts(own), folder)),
}


def write_wiki_tables(tables: WikiTables, places: Mapping[str, Path]) -> None:
    """Write the tables in each format of ``places`` (see ``TABLE_FORMATS``) to its file or folder.

    Raises InputError.
    """
    if unknown := [name for name in places if name not in TABLE_FORMATS]:
        raise InputError(f"unknown table format {unknown[0]!r}; use {', '.join(TABLE_FORMATS)}")
    if "figures" in places:
        require_extra("figures")
    for name, place in places.items():
        TABLE_FORMATS[name].write(tables, place)
