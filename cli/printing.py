"""All printing to the terminal: text is data, never control sequences for a terminal or input for a parser."""

import errno
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbe_graph.errors import InputError
from kbe_graph.progress import LineReporter, Reporter, TerminalReporter
from kbe_graph.text import visible

if TYPE_CHECKING:
    from kbe_graph.show.terminal import Line

STANDARD_OUTPUT = Path("/dev/stdout")
OF_OUTPUT = {STANDARD_OUTPUT, Path("/dev/fd/1"), Path("/proc/self/fd/1")}
JSON = "json"
WIDE = 120
_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def say(text: object, *, err: bool = False, nl: bool = True) -> None:
    """Print a line, on a terminal with control characters escaped.

    Raises InputError if standard output cannot be written.
    """
    _echo(visible(str(text)) if (sys.stderr if err else sys.stdout).isatty() else str(text), err=err, nl=nl)


def _echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=nl, err=err)
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


def wants_json() -> bool:
    """Return True if the command was given ``--json``."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(JSON))


def say_outcome(outcome: object, *lines: str) -> None:
    """Print the outcome of a command as lines of text, or as JSON."""
    if wants_json():
        print_json(outcome)
        return
    for line in lines:
        say(line)


def say_written(summary: Mapping[str, Any], words: str, file: Path) -> None:
    """Print a line about a written file, to standard error if the file is standard output."""
    outcome = json.dumps({**summary, "file": str(file)}, ensure_ascii=False)
    say(outcome if wants_json() else words.format(**summary, file=file), err=file in OF_OUTPUT)


def print_json(value: object) -> None:
    """Print a value as JSON for machines."""
    plain = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "") != "utf8"
    say(json.dumps(value, ensure_ascii=plain or sys.stdout.isatty(), indent=2, default=str))


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table, or its rows as JSON; if there are none, say so on standard error."""
    if not rows:
        say("no rows", err=True)
    if wants_json():
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    r"""Print a table: aligned on a terminal, elsewhere tab separated with tab, newline, backslash as \t, \n, \\."""
    if title:
        heading(title)
    if not sys.stdout.isatty():
        if columns:  # an engine returns no columns if nothing matches
            say("\n".join("\t".join(_cell(value).translate(_TSV) for value in row) for row in (columns, *rows)))
    elif rows:
        from kbe_graph.show.terminal import table

        cells = [list(map(_plain_cell, row)) for row in rows]
        _echo(table(list(map(_plain_cell, columns)), cells, width=_width(), colours=_has_colours()))


def print_matrix(key: Sequence[str], cells: Mapping[Any, object], title: str = "") -> None:
    """Print a table of cells by row and column, both in the order in which they first occur."""
    columns = list(dict.fromkeys(column for _, column in cells))
    places = dict.fromkeys(place for place, _ in cells)
    rows = [[*place, *(cells.get((place, column), "") for column in columns)] for place in places]
    print_table((*key, *columns), rows, title)


def _plain_cell(value: object) -> str:
    return visible(_cell(value)).replace("\n", "\\n").replace("\t", "\\t")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def heading(text: str) -> None:
    """Print an empty line and a heading."""
    from kbe_graph.show.terminal import Line

    say("")
    print_lines([Line("heading", text)])


def print_lines(lines: "Iterable[Line]") -> None:
    """Print the lines of a story or a screen, laid out for the terminal."""
    from kbe_graph.show.terminal import rendered

    _echo(rendered(lines, width=_width(), colours=_has_colours()))


def say_note(text: str, *, err: bool = False) -> None:
    """Print a sentence, wrapped between words on a terminal."""
    if (sys.stderr if err else sys.stdout).isatty():
        from kbe_graph.show.terminal import printed, styled

        _echo(printed(styled(text), width=_width()), err=err)
    else:
        say(text, err=err)


def say_legend(text: str) -> None:
    """Print what a table's words mean, to people alone."""
    if sys.stdout.isatty() and not wants_json():
        say("", err=True)
        say_note(text, err=True)


def _width() -> int:
    from kbe_graph.show.terminal import terminal_width

    return min(terminal_width(), WIDE)


def _has_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_mapping(values: Mapping[str, Any], *, indent: int = 0) -> None:
    """Print nested counts, one per line."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            say(f"{' ' * indent}{name}")
            print_mapping(value, indent=indent + 2)
        else:
            say(f"{' ' * indent}{name}: {value}")


def reporter() -> Reporter:
    """Create the reporter of commands: bars on a terminal, plain lines elsewhere."""
    return TerminalReporter() if sys.stderr.isatty() else LineReporter()
