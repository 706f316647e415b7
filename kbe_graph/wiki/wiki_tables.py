"""The tables of a benchmark that was made of pages, or of any other one, from a workspace."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kbe_graph.export.selection import select
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Store
from kbe_graph.types import SampleOrigin
from kbe_graph.wiki.table_files import write_wiki_tables
from kbe_graph.wiki.tables import CorpusFigures, ObjectCount, PredicateCount, StepCount, WikiTables, wiki_tables
from kbe_graph.wiki.wiki_benchmark import step_file

_SHOWN = 100  # properties, and values


def _refusals(folder: Folder, benchmark: str) -> Mapping[str, int]:
    try:
        noted = json.loads(step_file(folder, benchmark).read_text(encoding="utf-8"))
        return {str(reason): int(count) for reason, count in noted["left_out"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def make_tables(
    access: GraphAccess,
    benchmark: str,
    places: Mapping[str, Path],
    *,
    run: str | None,
    variant: str | None,
    judge: str | None,
) -> WikiTables:
    """Make the tables of a benchmark and of the questions of a run, write them to ``places``, and return them.

    Raises InputError for an unknown benchmark or run, and for a place that cannot be written.
    """
    store = access.store
    store.require_run(run)
    selection = select(store, run=run, benchmark=benchmark, loaded=True)
    ids = {question.id for question in selection.questions}
    tables = wiki_tables(
        selection.samples,
        selection.questions,
        [answer for answer in access.predictions(run) if answer.question in ids],
        corpus=_corpus(access, benchmark, sorted({question.sample for question in selection.questions})),
        variant=variant,
        judge=judge,
    )
    write_wiki_tables(tables, places)
    return tables


def _corpus(access: GraphAccess, benchmark: str, samples: Sequence[str]) -> CorpusFigures:
    store = access.store
    origins = store.origins(samples)
    if not origins:
        return CorpusFigures()
    statements = store.statements([id_ for each in origins.values() for id_ in each.statements])
    targets = {statement.target for statement in statements.values() if statement.target}
    items = store.items([*targets, *(each.item for each in origins.values())])
    limit = {"limit": _SHOWN}
    return CorpusFigures(
        tuple(origins.values()),
        tuple(statements.values()),
        tuple(items.values()),
        tuple(_steps(store, origins, _refusals(access.folder, benchmark))),
        [PredicateCount(*row) for row in store.query("predicate_frequency", limit).rows],
        [ObjectCount(*row) for row in store.query("object_frequency", limit).rows],
    )


def _steps(
    store: Store,
    origins: Mapping[str, SampleOrigin],
    refusals: Mapping[str, int],
) -> Iterator[StepCount]:
    pictures = store.pictures()
    reasons = Counter(picture.reason for picture in pictures if picture.reason)
    shown = [picture for picture in pictures if picture.item and not picture.reason]
    counts = store.status()["wiki"]
    yield StepCount("pictures whose page has an item", len(shown), len(pictures), dict(reasons.most_common()))
    refused = {row[0]: row[1] for row in store.query("reasons_of_statements").rows}
    yield StepCount("statements that no filter refuses", counts["statements kept"], counts["statements"], refused)
    asked = len({origin.picture for origin in origins.values()})
    yield StepCount("pictures with a question", asked, len(shown))
    made, lost = len(origins), sum(refusals.values())
    yield StepCount("questions", made, made + lost, refusals)
