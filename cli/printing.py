"""The one place that prints: text is data, which neither a terminal nor a program that reads it takes as orders."""

import csv
import errno
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from kbe_graph.cli.option_types import is_standard_output
from kbe_graph.errors import InputError
from kbe_graph.files.tsv import sheet_cell
from kbe_graph.text import visible

_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def say(text: object, *, err: bool = False, nl: bool = True, paint: Callable[[str], str] = str) -> None:
    """Print a line; a terminal is shown control characters as escapes, then ``paint`` may add colours of ours.

    Raises InputError where standard output cannot be written.
    """
    stream = sys.stderr if err else sys.stdout
    shown = visible(str(text)) if stream.isatty() else str(text)
    line = _encodable(paint(shown), stream)
    try:
        click.echo(line, nl=nl, err=err)
    except OSError as error:
        if error.errno == errno.EPIPE or err:
            raise
        drop_output()
        raise InputError(f"cannot write to standard output: {error.strerror}") from None


def drop_output() -> None:
    """Send what is left in the buffer of standard output nowhere, where it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def open_missing_streams() -> None:
    """Give standard output and standard error a place to go where the shell closed them (``>&-``)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end


def _encodable(text: str, stream: TextIO) -> str:
    """Return a text with escapes for the letters that a stream's encoding does not have."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def say_written(summary: Mapping[str, Any], words: str, file: Path, *, as_json: bool) -> None:
    """Tell what was written to a file: on standard error where the file is standard output."""
    err = is_standard_output(file)
    if as_json:
        say(json.dumps({**summary, "file": str(file)}, ensure_ascii=False), err=err)
    else:
        say(words.format(**summary, file=file), err=err)


def print_json(value: object) -> None:
    """Print a value as JSON for machines."""
    plain = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "") != "utf8"
    say(json.dumps(value, ensure_ascii=plain or sys.stdout.isatty(), indent=2, default=str))


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, as_json: bool) -> None:
    """Print a table, or its rows as JSON for machines; where there are none, standard error says so."""
    if not rows:
        say("no rows", err=True)
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    r"""Print a table: aligned on a terminal, elsewhere tab separated with tab, newline, backslash as \t, \n, \\."""
    if not columns:  # an engine names none where it finds nothing
        return
    if not sys.stdout.isatty():
        say("\n".join("\t".join(_cell(value).translate(_TSV) for value in row) for row in (columns, *rows)))
        return
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(*map(Column, map(Text, map(_plain_cell, columns))))
    for row in rows:
        table.add_row(*(Text(_plain_cell(value)) for value in row))
    Console(emoji=False, markup=False, highlight=False).print(table)


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table as CSV for a spreadsheet, which finds no formula in it."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in (columns, *rows):
        writer.writerow([sheet_cell(value) if isinstance(value, str) else value for value in row])
    say(lines.getvalue(), nl=False)


def _plain_cell(value: object) -> str:
    return visible(_cell(value)).replace("\n", "\\n").replace("\t", "\\t")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def print_mapping(values: Mapping[str, Any], *, indent: int = 0) -> None:
    """Print nested counts, a line each."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            say(f"{' ' * indent}{name}")
            print_mapping(value, indent=indent + 2)
        else:
            say(f"{' ' * indent}{name}: {value}")


def print_status(counts: Mapping[str, Any]) -> None:
    """Print what became of the samples, on one screen of the terminal's width."""
    from kbe_graph.report.status import reasons_in_words, screen

    for line in screen(counts, reasons_in_words(), width=shutil.get_terminal_size().columns):
        say(line)
