"""All printing to the terminal: text is data, never control sequences for a terminal or input for a parser."""

import csv
import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from kbe_graph.errors import InputError
from kbe_graph.files.resources import sheet_cell
from kbe_graph.text import visible

if TYPE_CHECKING:
    from kbe_graph import SampleStory
    from kbe_graph.facts.walk import EntityFacts
    from kbe_graph.show.terminal import Line

STANDARD_OUTPUT = Path("/dev/stdout")
_OF_OUTPUT = {STANDARD_OUTPUT, Path("/dev/fd/1"), Path("/proc/self/fd/1")}
WIDE = 120
STYLES: Mapping[str, Mapping[str, Any]] = {
    "heading": {"bold": True},
    "question": {"bold": True},
    "answer": {"fg": "green"},
    "text": {},
}
DECIMALS = 4
_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def say(text: object, *, err: bool = False, nl: bool = True, paint: Callable[[str], str] = str) -> None:
    """Print a line; on a terminal, control characters are escaped before ``paint`` adds colours.

    Raises InputError if standard output cannot be written.
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
    """Discard the rest of standard output's buffer when it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def open_missing_streams() -> None:
    """Redirect standard output and standard error to the null device if the shell closed them (``>&-``)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - stays open until exit


def _encodable(text: str, stream: TextIO) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def say_outcome(outcome: Mapping[str, Any], *lines: str, as_json: bool) -> None:
    """Print the outcome of a command as lines of text, or as JSON."""
    if as_json:
        print_json(outcome)
        return
    for line in lines:
        say(line)


def is_standard_output(file: Path) -> bool:
    """Return True if a file is standard output, so that messages must go elsewhere."""
    return file in _OF_OUTPUT


def say_written(summary: Mapping[str, Any], words: str, file: Path, *, as_json: bool) -> None:
    """Print a line about a written file, to standard error if the file is standard output."""
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
    """Print a table, or its rows as JSON; if there are none, say so on standard error."""
    if not rows:
        say("no rows", err=True)
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    r"""Print a table: aligned on a terminal, elsewhere tab separated with tab, newline, backslash as \t, \n, \\."""
    if not columns:  # an engine returns no columns if nothing matches
        return
    if not is_terminal():
        say("\n".join("\t".join(_cell(value).translate(_TSV) for value in row) for row in (columns, *rows)))
        return
    if not rows:
        return
    from kbe_graph.show.terminal import table

    cells = [list(map(_plain_cell, row)) for row in _aligned(rows)]
    _say_drawn(table(list(map(_plain_cell, columns)), cells, width=terminal_width(), colours=has_colours()))


def _aligned(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    columns = [_with_decimals(column) for column in zip(*rows, strict=True)]
    return list(zip(*columns, strict=True))


def _with_decimals(column: Sequence[Any]) -> Sequence[Any]:
    if not all(isinstance(value, float) for value in column):
        return column
    decimals = max(len(repr(value).partition(".")[2]) for value in column)
    return [f"{value:.{decimals}f}" for value in column] if decimals <= DECIMALS else column


def is_terminal() -> bool:
    """Return True if the output goes to a terminal."""
    return sys.stdout.isatty()


def terminal_width() -> int:
    """Return the width of the terminal in columns, at most 120."""
    from kbe_graph.show.terminal import terminal_width as columns

    return min(columns(), WIDE)


def has_colours() -> bool:
    """Return True if the output goes to a terminal and colours are not switched off."""
    return is_terminal() and not os.environ.get("NO_COLOR")


def _say_drawn(text: str) -> None:
    say("", paint=lambda _: text)


def paint(text: str, style: str) -> str:
    """Apply the colours of a style to a text, unless colours are off."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **STYLES[style])


def say_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines, each in the colours of its style."""
    for style, text in lines:
        say(text, paint=partial(paint, style=style))


def say_note(text: str, *, err: bool = False) -> None:
    """Print a sentence, wrapped between words on a terminal."""
    if (sys.stderr if err else sys.stdout).isatty():
        from kbe_graph.show.terminal import printed, styled

        text = printed(styled(text), width=terminal_width())
        say("", err=err, paint=lambda _: text)
    else:
        say(text, err=err)


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table as CSV."""
    say(csv_text(columns, rows), nl=False)


def csv_text(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format a table as CSV, with cells escaped against formula injection."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in (columns, *rows):
        writer.writerow([sheet_cell(value) if isinstance(value, str) else value for value in row])
    return lines.getvalue()


def _plain_cell(value: object) -> str:
    return visible(_cell(value)).replace("\n", "\\n").replace("\t", "\\t")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def print_mapping(values: Mapping[str, Any], *, indent: int = 0) -> None:
    """Print nested counts, one per line."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            say(f"{' ' * indent}{name}")
            print_mapping(value, indent=indent + 2)
        else:
            say(f"{' ' * indent}{name}: {value}")


def print_story(sample: "SampleStory", *, brief: bool = False) -> None:
    """Print a sample's story; ``brief`` omits the wording of sources."""
    _print_lines(sample.lines(brief=brief))


def print_concept(concept: "EntityFacts") -> None:
    """Print the facts about a concept."""
    from kbe_graph.show.story_lines import concept_lines

    _print_lines(concept_lines(concept))


def print_status(counts: Mapping[str, Any]) -> None:
    """Print the status screen."""
    from kbe_graph.show.status import reason_rules, screen

    _print_lines(screen(counts, reason_rules()))


def _print_lines(lines: "Iterable[Line]") -> None:
    from kbe_graph.show.terminal import rendered

    _say_drawn(rendered(lines, width=terminal_width(), colours=has_colours()))
