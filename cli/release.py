"""``kbe release``: frozen, numbered releases of a run."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import command, group, open_work
from kbe_graph.cli.printing import print_json, print_rows, print_table, say_outcome, wants_json
from kbe_graph.folder import HIDDEN
from kbe_graph.options import About
from kbe_graph.release.diff import Change, ReleaseDiff, changes, read_edition
from kbe_graph.release.verify import Fault, verify_folder
from kbe_graph.text import counted
from kbe_graph.types import Erratum
from kbe_graph.workspace.verbs import ErratumOptions, ReleaseOptions


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
    statuses = counted(made.statuses)
    if made.id.endswith("@1"):
        marked = counted({status: count for status, count in made.statuses.items() if status != "unchanged"})
        statuses = f"{sum(made.statuses.values())} questions, first version" + (f", {marked} before" if marked else "")
    lines = [f"{made.id}: {statuses}; written to {made.folder}"]
    lines += [f"held back: {made.held_back}; keep it private"] if made.held_back else []
    lines += [f"before scores on the forms are compared, equate them: {made.equate}"] if made.equate else []
    say_outcome(asdict(made), *lines, *(f"left out {count}: {reason}" for reason, count in made.left_out.items()))


@command("kbe release verify demo-1", "kbe release verify demo-1 --sha256 3fa9...", of=release)
def verify(
    place: Annotated[Path, "FOLDER"],
    *,
    sha256: Annotated[str, About("SHA-256 of its release.json, as published.")] = "",
) -> None:
    """Find each byte of a release's FOLDER that was changed, is missing or was added. No workspace is needed.

    Its release.json stands for the folder.
    """
    verified = verify_folder(place, sha256=sha256)
    if verified.faults:
        print_rows(Fault._fields, verified.faults)
        raise click.exceptions.Exit(1)
    line = f"{verified.id}: {verified.files} files as they were made; SHA-256 of release.json: {verified.sha256}"
    say_outcome(verified._asdict(), line)


@command("kbe -w W release list", of=release, name="list")
def list_(work: Workspace) -> None:
    """List the versions of all releases, with the SHA-256 of their release.json."""
    rows = [
        (each.id, f"{each.run} (forgotten)" if each.forgotten else each.run, each.created, each.forms, each.digest)
        for each in work.release.versions()
    ]
    print_rows(("id", "run", "created", "forms", "sha256"), rows)


@command("kbe -w W release diff kitchen@1 kitchen@2", "kbe release diff kitchen-1 kitchen-2 --json", of=release)
def diff(folder: Path, before: str, after: str) -> None:
    """Show what changed from version BEFORE to AFTER, question by question, with the reasons.

    A version is the name of a release (its newest version), its id, or a folder. In a workspace, the kept answers of
    models are also scored anew under both versions, by the rule alias and without asking.
    """
    if (folder / HIDDEN).is_dir():
        with open_work(folder) as work:
            result = work.release.diff(before, after)
    else:
        old, new = (read_edition(None, place) for place in (before, after))
        result = ReleaseDiff(old.id, new.id, tuple(changes(old, new)))
    scores = [{**each._asdict(), "change": each.change and round(each.change, 1)} for each in result.scores]
    if wants_json():
        rows = [change._asdict() for change in result.changes]
        print_json({**result._asdict(), "changes": rows, "scores": scores})
        return
    print_rows(Change._fields, result.changes)
    if scores:
        title = f"Kept answers, scored by {result.before} and by {result.after}"
        print_table([*scores[0]], [[*each.values()] for each in scores], title)


@group("kbe -w W release errata list")
def errata() -> None:
    """Record mistakes in facts, questions and answers; the next version withdraws or mends what they concern."""


release.add_command(errata)


@command(
    'kbe -w W release errata add "ROME|river|TIBER" --why "out of date"',
    "kbe -w W release errata add kitchen/val/7@demo/2 --why ambiguous --also pot",
    of=errata,
)
def add(work: Workspace, what: str, options: ErratumOptions) -> None:
    """Record a mistake in WHAT: a fact, the id of a question, or an answer.

    A fact is given as SUBJECT|relation|OBJECT, or as it is printed, in brackets with commas. In the next version, all
    questions whose key holds it are withdrawn; with --correct or --also, those that end in it are mended instead.
    """
    erratum, concerned = work.release.add_erratum(what, **options)
    line = f"erratum {erratum.id} on the {erratum.kind} {erratum.what!r} concerns {len(concerned)} questions:"
    say_outcome(asdict(erratum) | {"questions": concerned}, line, *concerned)


@command('kbe -w W release errata undo 38ebf6b8 --why "the first atlas is right"', of=errata)
def undo(
    work: Workspace, id_: Annotated[str, "ERRATUM"], *, why: Annotated[str, About("Reason (required).")] = ""
) -> None:
    """Take an ERRATUM (an id) back: the next version treats its questions as if it had never been given."""
    undone = work.release.undo_erratum(id_, why=why)
    say_outcome(asdict(undone), f"erratum {undone.id} on the {undone.kind} {undone.what!r} is taken back")


@command("kbe -w W release errata list", of=errata, name="list")
def list_errata(work: Workspace) -> None:
    """List the mistakes that were recorded."""
    names = [each.name for each in fields(Erratum)]
    print_rows(names, [[getattr(each, name) for name in names] for each in work.release.errata()])


@command("kbe -w W release results kitchen results", of=release)
def results(work: Workspace, name: str, out: Annotated[Path, "FOLDER"]) -> None:
    """Write the answers and scores of each model on release NAME to FOLDER, in the format Every Eval Ever."""
    files = work.release.results(name, out)
    say_outcome({"files": files}, f"wrote the results of {len(files)} models to {out}", *map(str, files))
