"""The progress of commands."""

import sys
from typing import TYPE_CHECKING

from kbe_graph.cli.printing import say
from kbe_graph.progress import Reporter, Seldom, TerminalReporter, spending_line

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress


def reporter() -> Reporter:
    """Create the reporter of commands: bars on a terminal, plain lines elsewhere."""
    return TerminalReporter() if sys.stderr.isatty() else Steady()


class Steady(Reporter):
    """Progress as plain lines: at most ten per stage, and calls and dollars every half minute."""

    def __init__(self) -> None:
        self._tenths: dict[str, int] = {}
        self._spent = Seldom(30)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Print the progress of a stage, once per tenth."""
        tenth = 10 * done // max(total, 1) if done else -1
        if tenth > self._tenths.get(stage, -1):
            self._tenths[stage] = tenth
            say(f"{stage}: {done}/{total}", err=True)

    def warn(self, what: str) -> None:
        """Print a warning."""
        say(what, err=True)

    def spent(self, spending: "CallProgress") -> None:
        """Print calls and dollars if a line is due."""
        if self._spent.is_time(spending, last=not spending.in_flight):
            say(spending_line(spending), err=True)
