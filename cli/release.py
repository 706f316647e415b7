"""``kbe release``: frozen, numbered releases of a run."""

from pathlib import Path
from typing import Annotated

from kbe_graph import Workspace
from kbe_graph.cli.face import command, group
from kbe_graph.cli.printing import say_outcome
from kbe_graph.options import About
from kbe_graph.workspace.verbs import RUN


@group("kbe -w W release new kitchen --run demo-0")
def release() -> None:
    """Make numbered releases of a run that never change, and compare them."""


@command("kbe -w W release new kitchen --run demo-0", of=release)
def new(
    work: Workspace,
    name: str,
    *,
    run: Annotated[str | None, About(RUN)] = None,
    out: Annotated[Path | None, About("Folder to write (default: releases/NAME-VERSION in the workspace).")] = None,
) -> None:
    """Make the next version of release NAME from the kept questions of a run."""
    made = work.release.new(name, run, out=out)
    counts = ", ".join(f"{count} {status}" for status, count in made.statuses.items())
    outcome = {"id": made.id, "folder": str(made.folder), "statuses": dict(made.statuses), "left_out": made.left_out}
    others = (f"left out {count}: {reason}" for reason, count in made.left_out.items())
    say_outcome(outcome, f"{made.id}: {made.questions} questions ({counts}) in {made.folder}", *others)
