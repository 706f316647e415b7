"""``kbe facts``: the facts that questions are made of: show, check, review, link answers to them, fetch more."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbe_graph.cli.common import Steady, json_option, open_graph, print_json, print_mapping, print_rows, print_table
from kbe_graph.cli.scope import scope_options
from kbe_graph.cli.wikidata import Asked, wikidata_options

if TYPE_CHECKING:
    from kbe_graph.evolve.plan import Scope
    from kbe_graph.knowledge.pack import Pack

_PLACE = click.Path(path_type=Path)
pack_option = click.option("--pack", "place", type=_PLACE, help="Another pack's folder (default: the packaged one).")
_SHOWN = (
    *("relation", "object", "source", "source_version", "source_date", "source_ref"),
    *("review", "evidence"),
)


@click.group()
def facts() -> None:
    """Show, check, review and fetch facts; link answers to them."""


@facts.command()
@click.option("--table", type=_PLACE, required=True, help="Columns question and answer.")
@json_option
def link(table: Path, as_json: bool) -> None:
    """Link each answer of a table to a concept, or abstain and say why."""
    from kbe_graph.lexicon.linking import LinkedRow, link_table

    rows = list(link_table(table))
    print_rows(LinkedRow._fields, rows, as_json=as_json)
    click.echo(f"{sum(not row.concept for row in rows)} of {len(rows)} abstained from", err=True)


@facts.command()
@click.argument("entity")
@pack_option
@json_option
def show(entity: str, place: Path | None, as_json: bool) -> None:
    """Show what is known of ENTITY, a concept id or a name: facts with source, version, evidence and review; aliases."""
    from dataclasses import asdict

    from kbe_graph.knowledge.entity import known

    found = known(_pack(place), entity)
    if as_json:
        print_json([one._asdict() | {"facts": [asdict(fact) for fact in one.facts]} for one in found])
        return
    for one in found:
        click.echo(f"{one.concept}  {one.label}  also: {', '.join(one.aliases) or 'nothing'}")
        print_table(_SHOWN, [[getattr(fact, column) for column in _SHOWN] for fact in one.facts])


@facts.command()
@click.option("--older-than", default=3.0, show_default=True, type=click.FloatRange(min=0), help="Years.")
@pack_option
@json_option
def check(older_than: float, place: Path | None, as_json: bool) -> None:
    """Tell, by source, the share of facts that carry no date or an old one."""
    from kbe_graph.knowledge.age import ages

    before = (datetime.now(UTC) - timedelta(days=365.25 * older_than)).date().isoformat()
    found = ages(_pack(place).facts, before)
    columns = ("source", "facts", "undated", "undated share", "older", "older share", "than")
    rows = [
        (one.source, one.facts, one.undated, f"{one.undated_share:.1%}", one.older, f"{one.older_share:.1%}", before)
        for one in found
    ]
    print_rows(columns, rows, as_json=as_json)


@facts.command()
@click.argument("file", type=_PLACE)
@pack_option
def sheet(file: Path, place: Path | None) -> None:
    """Write FILE, a sheet (TSV) to review facts with: 'right' or 'wrong' goes under verdict; 'kbe facts review' takes it."""
    from kbe_graph.knowledge.writing import write_sheet

    click.echo(f"{write_sheet(file, _pack(place))} facts to review in {file}")


@facts.command()
@click.argument("file", type=_PLACE)
@click.pass_obj
def review(folder: Path, file: Path) -> None:
    """Keep the verdicts of FILE, a sheet that was gone through, in the workspace; runs from then on go by them."""
    from kbe_graph.knowledge.verdict import kept_verdicts, read_verdicts, write_verdicts
    from kbe_graph.workspace import open_workspace

    kept = open_workspace(folder).review
    told = read_verdicts(file)
    verdicts = kept_verdicts(kept) | told
    write_verdicts(kept, verdicts)
    wrong = sum(verdict.word == "wrong" for verdict in verdicts.values())
    click.echo(f"{len(told)} verdicts taken; {len(verdicts) - wrong} facts right, {wrong} wrong in {kept}")


@facts.command()
@scope_options
@click.option("--pack", "place", type=_PLACE, help="Write the facts as a pack in this folder too.")
@wikidata_options
@click.pass_obj
def fetch(folder: Path, scope: "Scope", place: Path | None, asked: Asked) -> None:
    """Re-select, ask Wikidata about all answers, and keep what it says: 'kbe evolve --offline' then goes on from there."""
    from kbe_graph.evolve.knowledge import reviewed
    from kbe_graph.evolve.offline import fetch_ahead, filter_settings, offline_plan
    from kbe_graph.knowledge.writing import write_pack

    with open_graph(folder) as graph:
        wikidata = asked.settings(graph.workspace)
        plan = reviewed(offline_plan(scope, filter_settings(graph.workspace), wikidata), graph.workspace)
        knowledge = fetch_ahead(graph.workspace, graph.store, plan, wikidata, progress=Steady())
    print_mapping(knowledge.notes)
    if place is not None:
        write_pack(place, knowledge.told)


def _pack(place: Path | None) -> "Pack":
    from kbe_graph.errors import ResourceError
    from kbe_graph.knowledge.pack import FACTS, pack, read_pack

    if place is None:
        return pack()
    if not (place / FACTS).is_file():
        raise ResourceError(f"no pack at {str(place)!r}; 'kbe facts fetch --pack {place}' makes one")
    return read_pack(place)
