"""What the commands share: the workspace, progress, and the two ways of printing."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbe_graph import Workspace
from kbe_graph.workspace.progress import Reporter, Seldom, TerminalReporter, spending_line

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress

Command = Callable[..., None]
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
run_option = click.option("--run", default=None, help="The run's name (default: all runs).")


def open_work(folder: Path) -> Workspace:
    """Return a folder's workspace, which tells its progress as commands do; raises ConfigError where there is none."""
    return Workspace(folder, create=False, progress=reporter())


@dataclass(frozen=True, slots=True)
class Options:
    """Options that a command takes together, as ``name``: what ``make`` gives for their values, each by its name."""

    name: str
    make: Callable[..., object]
    options: Sequence[Callable[[Command], Command]]

    def __call__(self, command: Command) -> Command:
        """Give a command the options."""
        given: Command = update_wrapper(partial(self._passed, command), command)
        for option in reversed(self.options):
            given = option(given)
        return given

    def _passed(self, command: Command, *args: Any, **values: Any) -> None:
        made = self.make(**{name: values.pop(name) for name in signature(self.make).parameters})
        command(*args, **{self.name: made}, **values)


def split_pairs(text: str | Sequence[str] | None, option: str) -> dict[str, str] | None:
    """Return ``a=b,c=d`` (or several ``a=b``) as a mapping; raises UsageError."""
    if not text:
        return None
    parts = text.split(",") if isinstance(text, str) else list(text)
    pairs = [part.partition("=") for part in parts]
    if wrong := [part for part, (name, sign, value) in zip(parts, pairs, strict=True) if not (name and sign and value)]:
        raise click.UsageError(f"{option} takes name=value, found {wrong[0]!r}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def print_json(value: object) -> None:
    """Print a value as JSON for machines."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, as_json: bool) -> None:
    """Print a table, or its rows as JSON for machines."""
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table: aligned on a terminal, tab separated elsewhere."""
    if not sys.stdout.isatty():
        click.echo("\t".join(columns))
        for row in rows:
            click.echo("\t".join(map(_cell, row)))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns)
    for row in rows:
        table.add_row(*map(_cell, row))
    Console().print(table)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def print_mapping(values: Mapping[str, Any], *, indent: int = 0) -> None:
    """Print nested counts, a line each."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            click.echo(f"{' ' * indent}{name}")
            print_mapping(value, indent=indent + 2)
        else:
            click.echo(f"{' ' * indent}{name}: {value}")


def print_status(counts: Mapping[str, Any]) -> None:
    """Print what became of the samples, on one screen of the terminal's width."""
    from kbe_graph.report.status import reasons_in_words, screen

    for line in screen(counts, reasons_in_words(), width=shutil.get_terminal_size().columns):
        click.echo(line)


def reporter() -> Reporter:
    """Return what tells the progress of commands: bars on a terminal, plain lines elsewhere."""
    return TerminalReporter() if sys.stderr.isatty() else Steady()


class Steady(Reporter):
    """Progress as plain lines: at most ten a stage; calls and dollars each half minute."""

    def __init__(self) -> None:
        self._tenths: dict[str, int] = {}
        self._spent = Seldom(30)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Tell that ``done`` of ``total`` are done in a stage."""
        tenth = 10 * done // max(total, 1) if done else -1
        if tenth > self._tenths.get(stage, -1):
            self._tenths[stage] = tenth
            click.echo(f"{stage}: {done}/{total}", err=True)

    def spent(self, spending: "CallProgress", whole: float) -> None:
        """Print a line where it is time for one."""
        if self._spent.is_time(spending, last=not spending.in_flight):
            click.echo(spending_line(spending, whole), err=True)
