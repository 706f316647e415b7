"""``kbe facts``: show, check, review and fetch facts, and link answers to them."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from kbe_graph import RunOptions
from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import (
    YEARS,
    OutputFile,
    WikidataFlags,
    json_option,
    open_work,
    scope_options,
    wikidata_options,
)
from kbe_graph.cli.printing import (
    is_terminal,
    print_concept,
    print_json,
    print_mapping,
    print_rows,
    print_table,
    say,
    say_note,
    say_outcome,
    say_written,
)

_PLACE = click.Path(path_type=Path)
pack_option = click.option("--pack", "place", type=_PLACE, help="Folder of another pack (default: the packaged facts).")
_SHOWN = (
    *("relation", "object", "source", "source_version", "source_date", "source_ref"),
    *("review", "evidence"),
)


@examples("kbe facts show giraffe", "kbe facts link --table answers.tsv")
@click.group(cls=Group)
def facts() -> None:
    """Show, check, review and fetch facts; link answers to concepts."""


@examples("kbe facts link --table answers.tsv")
@facts.command()
@click.option("--table", type=_PLACE, required=True, help="Table with the columns question and answer.")
@json_option
def link(table: Path, as_json: bool) -> None:
    """Link each answer in a table to a concept, or give the reason why not."""
    from kbe_graph.senses.sense import LinkedRow, link_table

    rows = list(link_table(table))
    print_rows(LinkedRow._fields, rows, as_json=as_json)
    linked = sum(bool(row.concept) for row in rows)
    say_note(f"{linked} of {len(rows)} answers linked; 'reason' explains the others", err=True)


@examples("kbe facts show giraffe", "kbe facts show Italy --json")
@facts.command()
@click.argument("entity")
@pack_option
@json_option
def show(entity: str, place: Path | None, as_json: bool) -> None:
    """Show the aliases and facts of ENTITY, a concept id or a name. Facts have source, version, evidence and review."""
    from kbe_graph import facts_about

    concepts = facts_about(entity, pack=place)
    if as_json:
        print_json([concept._asdict() | {"facts": [asdict(fact) for fact in concept.facts]} for concept in concepts])
        return
    for concept in concepts:
        if is_terminal():
            print_concept(concept)
            continue
        say(f"{concept.concept}  {concept.label}  also: {', '.join(concept.aliases) or 'nothing'}")
        print_table(_SHOWN, [[getattr(fact, column) for column in _SHOWN] for fact in concept.facts])


@examples("kbe facts check", "kbe facts check --older-than 1")
@facts.command()
@click.option(
    "--older-than", default=3.0, show_default=True, type=YEARS, help="Age in years from which a fact counts as old."
)
@pack_option
@json_option
def check(older_than: float, place: Path | None, as_json: bool) -> None:
    """Print the share of undated and old facts by source."""
    from kbe_graph.workspace.packs import fact_ages

    before, sources = fact_ages(older_than, pack=place)
    columns = ("source", "facts", "undated", "undated share", "older", "older share", "than")
    share: Callable[[float], object] = (lambda part: round(part, 4)) if as_json else "{:.1%}".format
    rows = [
        (age.source, age.facts, age.undated, share(age.undated_share), age.older, share(age.older_share), before)
        for age in sources
    ]
    print_rows(columns, rows, as_json=as_json)
    if is_terminal() and not as_json:
        say_note(f"older: dated before {before}; --older-than sets the age in years", err=True)


@examples("kbe facts sheet sheet.tsv")
@facts.command()
@click.argument("file", type=OutputFile())
@pack_option
@json_option
def sheet(file: Path, place: Path | None, as_json: bool) -> None:
    """Write FILE, a sheet (TSV) for reviewing facts.

    Enter 'right' or 'wrong' in the verdict column, then import the sheet with 'kbe facts review'.
    """
    from kbe_graph import review_sheet

    say_written({"facts": review_sheet(file, pack=place)}, "{facts} facts to review in {file}", file, as_json=as_json)


@examples("kbe -w W facts review sheet.tsv")
@facts.command()
@click.argument("file", type=_PLACE)
@pack_option
@json_option
@click.pass_obj
def review(folder: Path, file: Path, place: Path | None, as_json: bool) -> None:
    """Import the verdicts in FILE, a completed sheet, into the workspace. Later runs use them."""
    reviewed = open_work(folder).people.review_facts(file, pack=place)
    line = (
        f"imported {reviewed.taken} verdicts; {reviewed.file} has {reviewed.right} right, {reviewed.wrong} wrong facts"
    )
    say_outcome(reviewed._asdict(), line, as_json=as_json)


@examples("kbe -w W facts fetch --run wikidata --contact you@example.org")
@facts.command()
@scope_options
@click.option("--pack", "place", type=_PLACE, help="Also write the facts as a pack to this folder.")
@wikidata_options
@json_option
@click.pass_obj
def fetch(folder: Path, scope: RunOptions, place: Path | None, wikidata: WikidataFlags, as_json: bool) -> None:
    """Re-select, query Wikidata about all answers, and save its facts.

    Then continue with 'kbe evolve --offline'.
    """
    with open_work(folder) as work:
        notes = work.fetch(**asdict(scope), **wikidata._asdict(), pack=place)
    if as_json:
        print_json(notes)
    else:
        print_mapping(notes)
