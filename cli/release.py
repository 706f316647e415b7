"""``kbe release``: frozen, numbered releases of a run."""

from dataclasses import asdict

from kbe_graph import Workspace
from kbe_graph.cli.face import command, group
from kbe_graph.cli.printing import say_outcome
from kbe_graph.text import counted
from kbe_graph.workspace.verbs import ReleaseOptions


@group("kbe -w W release new kitchen --run demo-0")
def release() -> None:
    """Make numbered releases of a run that never change, and compare them."""


@command(
    "kbe -w W release new kitchen --run demo-0", "kbe -w W release new kitchen --forms 2 --held-back 0.5", of=release
)
def new(work: Workspace, name: str, options: ReleaseOptions) -> None:
    """Make the next version of release NAME from the kept questions of a run.

    A version that was made never changes: corrections go into the next one.
    """
    made = work.release.new(name, **options)
    lines = [f"{made.id}: {counted(made.statuses)}; written to {made.folder}"]
    lines += [f"held back: {made.held_back}; keep it private"] if made.held_back else []
    lines += [f"before scores on the forms are compared, equate them: {made.equate}"] if made.equate else []
    say_outcome(asdict(made), *lines, *(f"left out {count}: {reason}" for reason, count in made.left_out.items()))
