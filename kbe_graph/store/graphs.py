"""The visual and textual graphs of samples, with the raw question and its key."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.forget import forget_graphs, refuse_evolved
from kbe_graph.store.questions import keys_of, write_questions
from kbe_graph.store.row_check import check_edge
from kbe_graph.store.rows import Evolved, Row, extraction_properties
from kbe_graph.store.stored_parts import forget_explored
from kbe_graph.store.triplet_rows import edge_rows, entity_rows, graph_row, triplet_of
from kbe_graph.types import RAW, Drop, Extraction, Question, SampleGraph, Triplet, question_id

BATCH = 200


def save_graphs(
    connection: Connection,
    outcomes: Sequence[SampleGraph | Drop],
    raw: Sequence[Question],
    extractions: Mapping[str, Extraction],
) -> None:
    """Save what extraction gave, in batches: a graph with its raw question, or the reason of a drop, and with what.

    A graph that is there already and is the same stays; one that differs is replaced, unless a run rests on it: then
    InputError is raised.
    """
    questions = {question.sample: question for question in raw}
    ordered = sorted(outcomes, key=lambda outcome: outcome.sample)
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        connection.write(partial(_save, outcomes=batch, raw=questions, extractions=extractions))


def _save(
    transaction: Transaction,
    outcomes: Sequence[SampleGraph | Drop],
    raw: Mapping[str, Question],
    extractions: Mapping[str, Extraction],
) -> None:
    ids = [outcome.sample for outcome in outcomes]
    stored = _stored(transaction, ids)
    known = {row["sample"]["id"]: row["sample"] for row in transaction.run("samples_by_id", ids=ids)}
    if strangers := [id_ for id_ in ids if id_ not in known]:
        raise InputError(f"no sample {strangers[0]!r} in the graph; load its benchmark first")
    graphs = [outcome for outcome in outcomes if isinstance(outcome, SampleGraph)]
    stale = [id_ for id_ in stored if not _same(stored[id_], graphs, id_)]
    if stale:
        refuse_evolved(transaction, stale, "the new graph differs")
        forget_graphs(transaction, stale)
        forget_explored(transaction)
    fresh = [graph for graph in graphs if graph.sample in stale or graph.sample not in stored]
    _create_graphs(transaction, fresh)
    write_questions(transaction, [Evolved(raw[graph.sample]) for graph in graphs if graph.sample in raw])
    transaction.save(
        "update_samples", [_sample_row(outcome, extractions.get(outcome.sample, Extraction())) for outcome in outcomes]
    )


def _stored(transaction: Transaction, ids: Sequence[str]) -> dict[str, list[Any]]:
    """Return the edges that each sample has now."""
    return {row["sample"]: row["edges"] for row in transaction.run("graphs", samples=list(ids))}


def _same(stored: Iterable[Any], graphs: Sequence[SampleGraph], sample: str) -> bool:
    graph = next((graph for graph in graphs if graph.sample == sample), None)
    if graph is None:
        return False
    visual, textual = _both(sample, stored)
    old = edge_rows(sample, visual), edge_rows(sample, textual), entity_rows(sample, (*visual, *textual))
    new = edge_rows(sample, graph.visual), edge_rows(sample, graph.textual)
    return old == (*new, entity_rows(sample, (*graph.visual, *graph.textual)))


def _sample_row(outcome: SampleGraph | Drop, extraction: Extraction) -> Row:
    if isinstance(outcome, Drop):
        properties = {"status": "dropped", "reason": outcome.reason, "detail": outcome.detail}
    else:
        properties = {"status": "extracted", "reason": "", "detail": ""}
    return {"id": outcome.sample, "properties": properties | extraction_properties(extraction)}


def _create_graphs(transaction: Transaction, graphs: Sequence[SampleGraph]) -> None:
    """Write graphs of samples that have none."""
    rows = [graph_row(graph) for graph in graphs]
    terms = sorted({link["object"] for row in rows for link in row["links"]})
    transaction.save("save_terms", [{"id": name, "properties": {}} for name in terms])
    transaction.save("create_graphs", rows)


def read_graphs(connection: Connection, ids: Sequence[str]) -> dict[str, SampleGraph]:
    """Return the own graphs of samples with the raw key; a sample without one is left out."""
    wanted = sorted(set(ids))
    found: dict[str, SampleGraph] = {}
    for start in range(0, len(wanted), BATCH):
        found |= _read(connection, wanted[start : start + BATCH])
    return found


def _read(connection: Connection, ids: list[str]) -> dict[str, SampleGraph]:
    edges = {row["sample"]: row["edges"] for row in connection.read("graphs", samples=ids)}
    keys = keys_of(connection, ids, run=RAW)
    raw = {id_: question_id(id_, RAW, 0) for id_ in ids}
    return {id_: SampleGraph(id_, *_both(id_, edges.get(id_, ())), keys[raw[id_]]) for id_ in ids if raw[id_] in keys}


def _both(sample: str, edges: Iterable[Any]) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    checked = [check_edge("triplet of sample", sample, edge) for edge in edges]
    triplets = [triplet_of(edge) for edge in sorted(checked, key=lambda edge: int(edge[1]))]
    visual = tuple(triplet for triplet in triplets if triplet.graph == "visual")
    return visual, tuple(triplet for triplet in triplets if triplet.graph == "textual")
