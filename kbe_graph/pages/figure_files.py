"""Report figures as files: JSON and CSV for programs, LaTeX for papers, SVG and PNG for both."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.format_registry import Registry
from kbe_graph.files.resources import sheet_cell
from kbe_graph.files.whole import replacing
from kbe_graph.pages.charts import Chart, png, svg
from kbe_graph.pages.flat_tables import cell_text, flat_tables, long_table, wide_table
from kbe_graph.pages.report_values import Cell, FlatTable, ReportData

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "✓": r"\checkmark{}",
    "✗": r"$\times$",
}
_SPECIAL = re.compile("[" + re.escape("".join(_LATEX)) + "]")


class FigureFormat(NamedTuple):
    """A format of a report's figures: its description in help texts, and the function that writes it."""

    about: str
    write: Callable[[ReportData, Sequence[Chart], Path], None]


def write_json(data: ReportData, file: Path) -> None:
    """Write all tables as one JSON object with a list of rows per table; raises InputError."""
    write_json_object({"run": data.run, **plain_tables(_tables(data))}, file)


def plain_tables(tables: Iterable[FlatTable]) -> dict[str, Any]:
    """Convert tables to plain values for JSON: a list of rows by table name."""
    return {table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows] for table in tables}


def write_json_object(value: Mapping[str, Any], file: Path) -> None:
    """Write ``value`` as one JSON object; raises InputError."""
    with replacing(file) as stream:
        json.dump(value, stream, ensure_ascii=False, indent=2)
        stream.write("\n")


def write_csv(data: ReportData, folder: Path) -> None:
    """Write each table to a CSV file in ``folder``, with cells escaped against formula injection; raises InputError."""
    write_csv_tables(_tables(data), folder)


def write_csv_tables(tables: Iterable[FlatTable], folder: Path) -> None:
    """Write tables as CSV files in ``folder``, with cells escaped against formula injection; raises InputError."""
    _make(folder)
    for table in tables:
        with replacing(folder / f"{table.name}.csv") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            for row in (table.columns, *table.rows):
                writer.writerow([sheet_cell(cell) if isinstance(cell, str) else cell for cell in row])


def write_latex(data: ReportData, folder: Path) -> None:
    r"""Write each table to a LaTeX file in ``folder``, to be included with ``\input``; raises InputError.

    The files need the packages booktabs and amssymb. The paper's tables keep the paper's layout.
    """
    write_latex_tables((*map(wide_table, data.tables), *flat_tables(data)), folder)


def write_latex_tables(tables: Iterable[FlatTable], folder: Path) -> None:
    """Write tables as LaTeX files in ``folder``; raises InputError."""
    _make(folder)
    for table in tables:
        with replacing(folder / f"{table.name}.tex") as stream:
            stream.write(latex_table(table))


def write_charts(charts: Iterable[Chart], folder: Path) -> None:
    """Write each chart as SVG and PNG in ``folder``; raises InputError."""
    _make(folder)
    for chart in charts:
        with replacing(folder / f"{chart.name}.svg") as stream:
            stream.write(svg(chart))
        with replacing(folder / f"{chart.name}.png") as stream:
            stream.buffer.write(png(chart))


def latex_table(table: FlatTable) -> str:
    """Format a table as a LaTeX ``tabular``."""
    lines = [" & ".join(map(latex, row)) + r" \\" for row in (table.columns, *table.rows)]
    return "\n".join(
        (
            r"\begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        )
    )


def latex(cell: Cell) -> str:
    r"""Escape a cell for LaTeX.

    >>> latex("50 % of A_1")
    '50 \\% of A\\_1'
    """
    text = " ".join(cell_text(cell).split())
    return _SPECIAL.sub(lambda sign: _LATEX[sign[0]], text)


def _tables(data: ReportData) -> Iterator[FlatTable]:
    yield from map(long_table, data.tables)
    yield from flat_tables(data)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}; choose another place") from None


FIGURE_FORMATS: Registry[FigureFormat] = Registry(
    "figure format",
    "kbe_graph.figures",
    {
        "json": FigureFormat("The tables as one JSON file.", lambda data, _, file: write_json(data, file)),
        "csv": FigureFormat("The tables as CSV files.", lambda data, _, folder: write_csv(data, folder)),
        "latex": FigureFormat("The tables as LaTeX files.", lambda data, _, folder: write_latex(data, folder)),
        "figures": FigureFormat("The charts as SVG and PNG.", lambda _, charts, folder: write_charts(charts, folder)),
    },
)
