"""``kbe audit``: check a benchmark by what the field demands of one."""

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import print_json, print_table, say, say_note, wants_json
from kbe_graph.text import counted
from kbe_graph.workspace.verbs import AuditOptions

COLUMNS = ("status", "check", "figure")


@command("kbe -w W audit --benchmark okvqa --out card", "kbe -w W audit --release demo --json")
def audit(work: Workspace, options: AuditOptions) -> None:
    """Check a run, a loaded benchmark or a release by what the field demands, and tell what fails and how to mend it.

    No model is asked. The exit code is 1 if a check fails; an error has no output. [datasheet] of kbe.toml holds what
    only the owner can state; docs/audit.md lists all checks.
    """
    card = work.audit(**options)
    if wants_json():
        print_json(card.as_mapping())
    else:
        stated = [row for row in card.rows if row.outcome.status != "not stated"]
        print_table(COLUMNS, [(row.outcome.status, row.criterion.id, row.figure) for row in stated])
        for row in card.rows[: card.counts()["fail"]]:
            say(f"to mend {row.criterion.id}: {row.criterion.mend}")
        say_note(f"{card.kind} {card.name}: {counted(card.counts())}; --out and --json list what is not stated")
    if card.counts()["fail"]:
        raise click.exceptions.Exit(1)
