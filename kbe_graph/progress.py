"""Tells how far the work is: on a terminal, in a notebook, by a function of the caller's own, or not at all."""

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kbe_graph.text import visible
from kbe_graph.types import Progress

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress


class Reporter:
    """Is told how far the work is; this one keeps it to itself.

    Use it with ``with``: at the end nothing is drawn any more.
    """

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take in that ``done`` of ``total`` are done in a stage."""

    def spent(self, spending: "CallProgress") -> None:
        """Take in the calls made so far."""

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Show, within the context, the name of work that is waited for and cannot be counted."""
        return nullcontext(what)

    def note(self, what: str) -> None:
        """Show a remark that is no result."""

    def warn(self, what: str) -> None:
        """Show that a model's endpoint makes the work wait, or does without something."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave things as they are."""


class Seldom:
    """Says when it is time to tell something again: each so many seconds, where there is something new."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0
        self._told: object = None

    def is_time(self, what: object, *, last: bool = False) -> bool:
        """Return True if to show it now; the ``last`` value is always shown, once."""
        now = time.monotonic()
        if what == self._told or (now < self._next and not last):
            return False
        self._told, self._next = what, now + self._seconds
        return True


class TellingReporter(Reporter):
    """Hands the progress to a function."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Hand it on."""
        self._tell(stage, done, total)


class TerminalReporter(Reporter):
    """Draws a bar for each stage on the standard error stream, with how many a second and the time left."""

    def __init__(self) -> None:
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._spent = Seldom(1)

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

    def spent(self, spending: "CallProgress") -> None:
        """Print calls and dollars above the bars, once a second."""
        if self._bars is not None and self._spent.is_time(spending, last=not spending.in_flight):
            self._bars.console.print(spending_line(spending), highlight=False)

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Draw a sign of life."""
        from rich.console import Console

        return nullcontext(what) if self._bars else Console(stderr=True).status(what)

    def note(self, what: str) -> None:
        """Show a remark that is no result."""
        from rich.console import Console

        console = self._bars.console if self._bars else Console(stderr=True)
        console.print(visible(what), style="dim", highlight=False, markup=False)

    def warn(self, what: str) -> None:
        """Show that a model's endpoint makes the work wait, or does without something."""
        self.note(what)

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


class NotebookReporter(Reporter):
    """Shows a bar for each stage under the cell of a notebook."""

    def __init__(self) -> None:
        self._shown: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show the stage's bar, and draw it again as it grows."""
        self._show(stage, f"<progress value={done} max={total}></progress> {stage}: {done}/{total}", last=done >= total)

    def spent(self, spending: "CallProgress") -> None:
        """Show calls and dollars on a line that is written again."""
        self._show("calls", spending_line(spending), last=not spending.in_flight)

    def warn(self, what: str) -> None:
        """Show that a model's endpoint makes the work wait, or does without something."""
        self._show("endpoint", escape(what), last=True)

    def _show(self, name: str, html: str, *, last: bool) -> None:
        from IPython import display

        shown: Any = display
        if name in self._shown:
            self._shown[name].update(shown.HTML(html))
        else:
            self._shown[name] = shown.display(shown.HTML(html), display_id=True)
        if last:
            del self._shown[name]


class _Place(NamedTuple):
    terminal: bool
    notebook: bool


def reporter_of(progress: Progress | bool | None) -> Reporter:
    """Choose a reporter: None is a bar on a terminal or in a notebook, False is silence, a function is called."""
    if isinstance(progress, Reporter):
        return progress
    if callable(progress):
        return TellingReporter(progress)
    place = _place()
    if progress is False or not (place.terminal or place.notebook):
        return Reporter()
    return NotebookReporter() if place.notebook else TerminalReporter()


def spending_line(spending: "CallProgress") -> str:
    """Return calls and dollars so far, as a line."""
    calls = (
        f"calls: {spending.calls} paid, {spending.hits} cached, {spending.failed} failed, {spending.in_flight} pending"
    )
    return f"{calls}; ${spending.dollars:.2f} spent"


def ipython_shell() -> Any:
    """Find the shell of IPython that runs the program, None without one; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _place() -> _Place:
    shell = ipython_shell()
    return _Place(sys.stderr.isatty(), shell is not None and "IPKernelApp" in shell.config)
