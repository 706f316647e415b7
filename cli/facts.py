"""``kbe facts`` and ``filters``: the facts that runs draw on, and the checks that questions must pass."""

import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from kbe_graph import RunOptions, Workspace
from kbe_graph.cli.face import Output, command, field_options, group, keywords
from kbe_graph.cli.printing import (
    print_json,
    print_lines,
    print_mapping,
    print_rows,
    print_table,
    say,
    say_legend,
    say_note,
    say_outcome,
    say_written,
    wants_json,
)
from kbe_graph.options import About

if TYPE_CHECKING:
    from kbe_graph.checks.check import Row

SHOWN = ("relation", "object", "source", "source_version", "source_date", "source_ref", "review", "evidence")
Pack = Annotated[Path | None, About("Folder of another pack (default: the packaged facts).")]


@group("kbe facts show giraffe", "kbe facts link answers.tsv")
def facts() -> None:
    """Show, check, review and fetch facts; link answers to concepts."""


@command("kbe facts link answers.tsv", of=facts)
def link(table: Path) -> None:
    """Link each answer in TABLE to a concept, or give the reason why not.

    TABLE has the columns question and answer.
    """
    from kbe_graph.senses.sense import LinkedRow, link_table

    rows = list(link_table(table))
    print_rows(LinkedRow._fields, rows)
    linked = sum(bool(row.concept) for row in rows)
    say_note(f"{linked} of {len(rows)} answers linked; 'reason' explains the others", err=True)


@command("kbe facts show giraffe", "kbe facts show Italy --json", name="show", of=facts)
def show_facts(entity: str, *, pack: Pack = None) -> None:
    """Show the aliases and facts of ENTITY, a concept id or a name. Facts have source, version, evidence and review."""
    from kbe_graph import facts_about
    from kbe_graph.show.sample_story import concept_lines

    concepts = facts_about(entity, pack=pack)
    if wants_json():
        print_json([concept._asdict() | {"facts": [asdict(fact) for fact in concept.facts]} for concept in concepts])
        return
    for concept in concepts:
        if sys.stdout.isatty():
            print_lines(concept_lines(concept))
        else:
            say(f"{concept.concept}  {concept.label}  also: {', '.join(concept.aliases) or 'nothing'}")
            print_table(SHOWN, [[getattr(fact, column) for column in SHOWN] for fact in concept.facts])


@command("kbe facts check", "kbe facts check --older-than 1", of=facts)
def check(
    *,
    older_than: Annotated[float, About("Age in years from which a fact counts as old.", least=0, most=1_000)] = 3.0,
    pack: Pack = None,
) -> None:
    """Print the share of undated and old facts by source."""
    from kbe_graph.facts.pack import ages, open_pack

    before = (datetime.now(UTC) - timedelta(days=365.25 * older_than)).date().isoformat()
    sources = ages(open_pack(pack).facts, before)
    share = (lambda part: round(part, 4)) if wants_json() else "{:.1%}".format
    rows = [
        (age.source, age.facts, age.undated, share(age.undated_share), age.older, share(age.older_share), before)
        for age in sources
    ]
    print_rows(("source", "facts", "undated", "undated share", "older", "older share", "than"), rows)
    say_legend(f"older: dated before {before}; --older-than sets the age in years")


@command("kbe facts sheet sheet.tsv", of=facts)
def sheet(file: Output, *, pack: Pack = None) -> None:
    """Write FILE, a sheet (TSV) for reviewing facts.

    Enter 'right' or 'wrong' in the verdict column, then import the sheet with 'kbe facts review'.
    """
    from kbe_graph import review_sheet

    say_written({"facts": review_sheet(file, pack=pack)}, "{facts} facts to review in {file}", file)


@command("kbe -w W facts review sheet.tsv", name="review", of=facts)
def review_facts(work: Workspace, file: Path, *, pack: Pack = None) -> None:
    """Import the verdicts in FILE, a completed sheet, into the workspace. Later runs use them."""
    reviewed = work.review.review_facts(file, pack=pack)
    line = (
        f"imported {reviewed.taken} verdicts; {reviewed.file} has {reviewed.right} right, {reviewed.wrong} wrong facts"
    )
    say_outcome(reviewed._asdict(), line)


FETCH = field_options(RunOptions, "run", "seed", "sample") + keywords(
    Workspace.fetch,
    pack="Also write the facts as a pack to this folder.",
    contact="Your email or web address, for the server's operators (KBE_CONTACT).",
    endpoint="SPARQL endpoint to use instead of Wikidata's (KBE_ENDPOINT).",
    offline="Do not contact Wikidata; use the cached answers.",
)


@command("kbe -w W facts fetch --run wikidata --contact you@example.org", of=facts)
def fetch(work: Workspace, **options: Annotated[Any, FETCH]) -> None:
    """Re-select, query Wikidata about all answers, and save its facts.

    Then continue with 'kbe evolve --offline'.
    """
    notes = work.fetch(**options)
    if wants_json():
        print_json(notes)
    else:
        print_mapping(notes)


@command("kbe filters", "kbe filters noun --table answers.tsv")
def filters(
    name: str | None = None,
    *,
    table: Annotated[
        Path | None, About("Table with the columns question and answer, and any others that the check reads.")
    ] = None,
) -> None:
    """Print the rule behind each reason by stage, with one case refused and one passed.

    With NAME and --table, apply a check to a table and print the verdict and reason of each row. NAME is the name of
    the check, or a part that occurs in only one name.
    """
    from kbe_graph.checks import explanations, try_check

    if (name is None) != (table is None):
        raise click.UsageError("give NAME and --table FILE together")
    if name is not None and table is not None:
        rows = list(try_check(name, table))
        columns = list(rows[0]) if rows else ["verdict", "reason"]
        print_rows(columns, [[row[column] for column in columns] for row in rows])
    elif wants_json():
        print_json([entry._asdict() for entry in explanations()])
    else:
        rules = [
            (entry.stage, entry.name, entry.filters, entry.rule, _case(entry.refused), _case(entry.passed))
            for entry in explanations()
        ]
        print_table(("stage", "reason", "filters", "rule", "refused", "passed"), rules)


def _case(example: "Row") -> str:
    return "; ".join(f"{key}: {value}" for key, value in example._asdict().items() if value)
