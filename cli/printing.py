"""All printing to the terminal: text is data, never control sequences for a terminal or input for a parser."""

import csv
import errno
import io
import json
import os
import shutil
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

STANDARD_OUTPUT = Path("/dev/stdout")
_OF_OUTPUT = {STANDARD_OUTPUT, Path("/dev/fd/1"), Path("/proc/self/fd/1")}
STYLES: Mapping[str, Mapping[str, Any]] = {
    "sample": {"bold": True, "underline": True},
    "heading": {"bold": True},
    "question": {"bold": True},
    "answer": {"fg": "green"},
    "reason": {"fg": "yellow"},
    "fact": {"dim": True},
    "name": {"dim": True},
    "path": {"fg": "cyan"},
    "picture": {},
    "text": {},
}
WIDE = 120
NARROWEST = 20  # columns; narrower terminals are treated as this wide
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
    """Escape the characters that a stream's encoding lacks."""
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
    from kbe_graph.report.layout import table

    cells = [list(map(_plain_cell, row)) for row in _aligned(rows)]
    for parts in table(list(map(_plain_cell, columns)), cells, terminal_width()):
        say("".join(part.text for part in parts), paint=partial(_painted, parts=parts))


def _aligned(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """Pad the decimals of each column of floats to the same length."""
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
    """Return the width of the terminal in columns."""
    return max(shutil.get_terminal_size().columns, NARROWEST)


def paint(text: str, style: str) -> str:
    """Apply the colours of a style to a text, unless colours are off."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **STYLES[style])


def _painted(shown: str, *, parts: Sequence[tuple[str, str]]) -> str:
    del shown  # the same text without colours
    return "".join(paint(text, style) if text.strip() else text for style, text in parts)


def say_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines, each in the colours of its style."""
    for style, text in lines:
        say(text, paint=partial(paint, style=style))


def say_note(text: str, *, err: bool = False) -> None:
    """Print a sentence, wrapped between words on a terminal."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        from kbe_graph.report.layout import wrap

        text = "\n".join(wrap(text, terminal_width()))
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
    for line in sample.lines(width=min(terminal_width(), WIDE), brief=brief):
        shown = sample.pictures if line.style == "picture" else ()
        picture = next((file for file in shown if len(shown) == 1 or line.text.endswith(str(file))), None)
        say(line.text, paint=partial(_paint, style=line.style, picture=picture))


def print_concept(concept: "EntityFacts") -> None:
    """Print the facts about a concept."""
    from kbe_graph.report.story_lines import concept_lines

    say_lines(concept_lines(concept, width=min(terminal_width(), WIDE)))


def print_status(counts: Mapping[str, Any]) -> None:
    """Print the status screen."""
    from kbe_graph.report.status import reason_rules, screen

    say_lines(screen(counts, reason_rules(), width=terminal_width()))


def _paint(text: str, *, style: str, picture: Path | None) -> str:
    if not picture or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return paint(text, style)
    place = text.removeprefix("  picture").strip()
    return text.replace(place, _link(picture.absolute().as_uri(), place)) if place else text


def _link(uri: str, text: str) -> str:
    """Format a hyperlink for terminals (OSC 8)."""
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
