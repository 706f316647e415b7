"""Library messages reworded for the command line, and the progress of commands.

The library names arguments and methods between backticks, as in Python (``run=...``); users of ``kbe`` read the option
or the command instead.
"""

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kbe_graph.cli.printing import say
from kbe_graph.workspace.progress import Reporter, Seldom, TerminalReporter, spending_line

if TYPE_CHECKING:
    from kbe_graph.models.direct_model import CallProgress

WORDS: Mapping[str, str] = {
    "ModelOptions(api_key=...)": "--api-key",
    "ModelOptions(budget=...)": "--budget",
    "ModelOptions(images=...)": "--images",
    "ModelOptions(max_calls=...)": "--max-calls",
    "ModelOptions(name=...)": "--model",
    "ModelOptions(verify=True)": "--verify",
    "annotations=...": "--annotations",
    "benchmark=...": "--benchmark",
    "columns=...": "--map",
    "contact=...": "--contact",
    "evolved=True": "--yes",
    "fetch=True": "--fetch",
    "filters=...": "--filters",
    "folder=...": "-w",
    "form=...": "--form",
    "host=...": "--host",
    "images=...": "--images",
    "images_as='none'": "--no-images",
    "incomplete=True": "--incomplete",
    "kbe.review_sheet(FILE)": "'kbe facts sheet FILE'",
    "insist=True": "--insist",
    "local_hosts=True": "--local-hosts",
    "name=...": "--name",
    "offline=True": "--offline",
    "pack=...": "--pack",
    "port=...": "--port",
    "replace=True": "--replace",
    "run=...": "--run",
    "shard=...": "--shard",
    "wording='model'": "--wording model",
    "work.evaluate()": "'kbe evaluate'",
    "work.evolve()": "'kbe evolve'",
    "work.export(FILE)": "'kbe export jsonl'",
    "work.fetch()": "'kbe facts fetch'",
    "work.wiki.statements()": "'kbe wiki statements'",
    "work.fetch(pack=FOLDER)": "'kbe facts fetch --pack FOLDER'",
    "work.forget(run=NAME)": "'kbe forget run NAME'",
    "work.graph.backup(FILE)": "'kbe db backup FILE'",
    "work.graph.copy_to(ADDRESS)": "'kbe db copy --to URI'",
    "work.graph.engine.start()": "'kbe db start'",
    "work.graph.engine.stop()": "'kbe db stop'",
    "work.graph.restore(FILE)": "'kbe db restore FILE'",
    "work.graph.restore(FILE, replace=True)": "'kbe db restore FILE --replace'",
    "work.load(FILE)": "'kbe load FILE'",
    "work.make_forms(FORM)": "'kbe forms'",
    "work.models.costs()": "'kbe calls'",
    "work.models.failed_calls()": "'kbe calls failures'",
    "work.people.judge_sheet(FILE)": "'kbe judge sheet FILE'",
    "work.perturb(image=..., text=...)": "'kbe perturb --image LIST --text LIST'",
    "work.sample(ID)": "'kbe show ID'",
    "workers=...": "--workers",
    "Workspace(FOLDER)": "'kbe -w FOLDER init'",
}
"""Python terms in messages, each with its equivalent on the command line."""
_QUOTED = re.compile("`([^`]+)`")


def in_command_words(message: str) -> str:
    """Reword a message of the library for the command line.

    >>> in_command_words("of several runs the newest is taken; name one with `run=...`")
    'of several runs the newest is taken; name one with --run'
    """
    return _QUOTED.sub(lambda match: WORDS.get(match[1], match[0]), message)


def reporter() -> Reporter:
    """Create the reporter of commands: bars on a terminal, plain lines elsewhere."""
    return CommandReporter() if sys.stderr.isatty() else Steady()


class CommandReporter(TerminalReporter):
    """A terminal reporter with bars, and with notes reworded for the command line."""

    def note(self, what: str) -> None:
        """Print a note, dimmed."""
        super().note(in_command_words(what))


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
        say(in_command_words(what), err=True)

    def spent(self, spending: "CallProgress", whole: float) -> None:
        """Print calls and dollars if a line is due."""
        if self._spent.is_time(spending, last=not spending.in_flight):
            say(spending_line(spending, whole), err=True)
