"""What the commands share: the workspace, their options, and progress."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import click

from kbe_graph import Workspace
from kbe_graph.cli.command_words import in_command_words
from kbe_graph.cli.printing import say
from kbe_graph.workspace.progress import Reporter, Seldom, TerminalReporter, spending_line

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress

Command = Callable[..., None]
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the runs whose names begin so, by their manifests: no engine is started for it."""
    del param
    folder = Path(ctx.find_root().params.get("workspace") or ".") / ".kbe" / "runs"
    names = sorted(unquote(run.name) for run in folder.glob("*"))
    return [name for name in names if name.startswith(incomplete)]


def _run_option(default: str) -> Callable[[Command], Command]:
    help_ = f"The run's name (default: {default})."
    return click.option("--run", default=None, shell_complete=_complete_run, help=help_)


run_option = _run_option("all runs")
chosen_run_option = _run_option("the only run, or the newest")
incomplete_option = click.option("--incomplete", is_flag=True, help="Take runs too that failed or were cut off.")


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
    names = [name.strip() for name, _, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise click.UsageError(f"{option} names {twice!r} twice; give it once")
    return dict(zip(names, (value.strip() for _, _, value in pairs), strict=True))


def reporter() -> Reporter:
    """Return what tells the progress of commands: bars on a terminal, plain lines elsewhere."""
    return CommandReporter() if sys.stderr.isatty() else Steady()


class CommandReporter(TerminalReporter):
    """Bars on a terminal, and notes in the words of the command line."""

    def note(self, what: str) -> None:
        """Print it, faint."""
        super().note(in_command_words(what))


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
            say(f"{stage}: {done}/{total}", err=True)

    def warn(self, what: str) -> None:
        """Print it."""
        say(in_command_words(what), err=True)

    def spent(self, spending: "CallProgress", whole: float) -> None:
        """Print a line where it is time for one."""
        if self._spent.is_time(spending, last=not spending.in_flight):
            say(spending_line(spending, whole), err=True)
