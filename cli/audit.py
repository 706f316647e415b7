"""``kbe audit``: check a benchmark by what the field demands of one."""

from textwrap import shorten
from typing import Annotated

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import print_json, print_table, say, say_note, wants_json
from kbe_graph.options import About
from kbe_graph.text import counted, quoted
from kbe_graph.workspace.verbs import AuditOptions

NAMED = 3  # checks of a cell
LONGEST = 200  # characters of a failure's figure, which begins with what fails


@command("kbe -w W audit --benchmark okvqa --out card", "kbe -w W audit --release demo --json")
def audit(
    work: Workspace,
    options: AuditOptions,
    every: Annotated[bool, About("List every check with its whole figure.", flag="all")] = False,
) -> None:
    """Check a run, a loaded benchmark or a release by what the field demands, and tell what fails and how to mend it.

    No model is asked. The exit code is 1 if a check fails; an error has no output. [datasheet] of kbe.toml holds what
    only the owner can state; docs/audit.md lists all checks.
    """
    card = work.audit(**options)
    if wants_json():
        print_json(card.as_mapping())
    elif every:
        print_table(
            ("status", "check", "figure"), [(row.outcome.status, row.criterion.id, row.figure) for row in card.rows]
        )
    else:
        failures = [
            (row.criterion.id, shorten(row.figure, LONGEST, placeholder=" …"), row.criterion.mend)
            for row in card.failures
        ]
        unstated = [(why, quoted(ids, NAMED)) for why, ids in card.unstated().items()]
        if failures:
            print_table(("check", "figure", "to mend"), failures, "What fails")
        if unstated:
            print_table(("why", "checks"), unstated, "What is not stated")
        say("")
    if not wants_json():
        say_note(f"{card.kind} {card.name}: {counted(card.counts())}; --all lists every check, --out writes the card")
    if card.failures:
        raise click.exceptions.Exit(1)
