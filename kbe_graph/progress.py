"""Tells how far the work is: on a terminal, as lines, by a function of the caller's own, or not at all."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Self

from kbe_graph.text import visible
from kbe_graph.types import Progress

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress


class Reporter:
    """Is told how far the work is; hands it to a function, or keeps it to itself.

    Use it with ``with``: at the end nothing is drawn any more. ``lost`` counts the calls whose endpoint was gone.
    """

    seconds = 1
    """How often calls and dollars are told."""

    def __init__(self, tell: Progress = lambda *_: None) -> None:
        self._tell = tell
        self._next = 0.0
        self._told: CallProgress | None = None
        self.lost = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take in that ``done`` of ``total`` are done in a stage."""
        self._tell(stage, done, total)

    def spent(self, spending: "CallProgress") -> None:
        """Take in the calls made so far; they are told every few seconds, and when none is pending."""
        now = time.monotonic()
        if spending != self._told and (now >= self._next or not spending.in_flight):
            self._told, self._next = spending, now + self.seconds
            counts = f"{spending.calls} paid, {spending.hits} cached, {spending.failed} failed"
            self._say(f"calls: {counts}, {spending.in_flight} pending; ${spending.dollars:.2f} spent")

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Show, within the context, the name of work that is waited for and cannot be counted."""
        return nullcontext(what)

    def warn(self, what: str) -> None:
        """Show that a model's endpoint makes the work wait, or does without something."""
        self._say(what)

    def _say(self, line: str) -> None:
        """Show a line."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave things as they are."""


class LineReporter(Reporter):
    """Prints lines on the standard error stream: at most ten a stage, and calls and dollars every half minute."""

    seconds = 30

    def __init__(self) -> None:
        super().__init__()
        self._tenths: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Print the progress of a stage, once per tenth."""
        tenth = 10 * done // max(total, 1) if done else -1
        if tenth > self._tenths.get(stage, -1):
            self._tenths[stage] = tenth
            self._say(f"{stage}: {done}/{total}")

    def _say(self, line: str) -> None:
        print(visible(line), file=sys.stderr, flush=True)  # noqa: T201 - what a command or a notebook shows


class TerminalReporter(Reporter):
    """Draws a bar for each stage on the standard error stream, with how many a second and the time left."""

    def __init__(self) -> None:
        super().__init__()
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the stage's bar; the bars of one piece of work stand below one another."""
        if not total:
            return
        if self._bars is None:
            self._start()
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total, rate="")
        elapsed = self._bars.tasks[self._tasks[stage]].elapsed
        rate = f"{done / elapsed:.0f}/s" if elapsed else ""
        self._bars.update(self._tasks[stage], completed=done, total=total, rate=rate)

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Draw a sign of life."""
        from rich.console import Console

        return nullcontext(what) if self._bars else Console(stderr=True).status(what)

    def _say(self, line: str) -> None:
        if self._bars is not None:
            self._bars.console.print(line, highlight=False)

    def __exit__(self, *_: object) -> None:
        """Stop drawing, and leave the last bars where they are."""
        if self._bars is not None:
            self._bars.stop()
            self._bars, self._tasks = None, {}

    def _start(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[rate]}"),
            progress.TimeRemainingColumn(elapsed_when_finished=True),
        )
        self._bars = progress.Progress(*columns, console=Console(stderr=True))
        self._bars.start()


def reporter_of(progress: Progress | bool | None) -> Reporter:
    """Choose a reporter: None is bars on a terminal and lines in a notebook, False is silence, a function is called."""
    if isinstance(progress, Reporter):
        return progress
    if callable(progress):
        return Reporter(progress)
    shell = ipython_shell()
    if progress is False:
        return Reporter()
    if sys.stderr.isatty():
        return TerminalReporter()
    return LineReporter() if shell is not None and "IPKernelApp" in shell.config else Reporter()


def ipython_shell() -> Any:
    """Find the shell of IPython that runs the program, None without one; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None
