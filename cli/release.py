"""``kbe release``: frozen, numbered releases of a run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import command, group
from kbe_graph.cli.printing import print_rows, say_outcome
from kbe_graph.options import About
from kbe_graph.release.verify import Fault, verify_folder
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


@command("kbe release verify demo-1", "kbe release verify demo-1 --sha256 3fa9...", of=release)
def verify(
    place: Annotated[Path, "FOLDER"],
    *,
    sha256: Annotated[str, About("SHA-256 of its release.json, as published.")] = "",
) -> None:
    """Find each byte of a release's FOLDER that was changed, is missing or was added. No workspace is needed."""
    verified = verify_folder(place, sha256=sha256)
    if verified.faults:
        print_rows(Fault._fields, verified.faults)
        raise click.exceptions.Exit(1)
    line = f"{verified.id}: {verified.files} files as they were made; SHA-256 of release.json: {verified.sha256}"
    say_outcome(verified._asdict(), line)
