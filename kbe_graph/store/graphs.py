"""The visual and textual graphs of samples, with the raw question and its key."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.entities import term_rows
from kbe_graph.store.forget import forget_graphs, refuse_evolved
from kbe_graph.store.questions import keys_of, question_rows, write_questions
from kbe_graph.store.row_check import check_edge
from kbe_graph.store.rows import Evolved, Row, extraction_properties
from kbe_graph.store.stored_parts import forget_explored
from kbe_graph.store.triplet_rows import graph_row, triplet_of
from kbe_graph.store.write_behind import saving_behind
from kbe_graph.types import RAW, Drop, Extraction, Question, SampleGraph, Triplet, question_id

BATCH = 200
SaveGraphs = Callable[[Sequence[SampleGraph | Drop], Sequence[Question], Mapping[str, Extraction]], None]


class GraphRows(NamedTuple):
    """What is written of a batch: the graphs by sample, their raw questions by statement, and all its samples."""

    graphs: dict[str, Row]
    raw: dict[str, list[Row]]
    samples: list[Row]


@contextmanager
def saving_graphs(connection: Connection) -> Iterator[SaveGraphs]:
    """Give what saves what extraction gave; the rows of a batch are made while the batch before is written.

    Batches are written one after the other, each whole or not at all. What a save raises is raised at a later one or at
    the end.
    """
    with saving_behind(connection.write) as write:

        def save(
            outcomes: Sequence[SampleGraph | Drop], raw: Sequence[Question], extractions: Mapping[str, Extraction]
        ) -> None:
            """Save outcomes, ``BATCH`` at a time in the order of their samples."""
            questions = {question.sample: question for question in raw}
            ordered = sorted(outcomes, key=lambda outcome: outcome.sample)
            for start in range(0, len(ordered), BATCH):
                rows = _rows(ordered[start : start + BATCH], questions, extractions)
                write(partial(_save, rows=rows))

        yield save


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
    with saving_graphs(connection) as save:
        save(outcomes, raw, extractions)


def _rows(
    outcomes: Sequence[SampleGraph | Drop], raw: Mapping[str, Question], extractions: Mapping[str, Extraction]
) -> GraphRows:
    graphs = [outcome for outcome in outcomes if isinstance(outcome, SampleGraph)]
    return GraphRows(
        {graph.sample: graph_row(graph.sample, graph.visual, graph.textual) for graph in graphs},
        question_rows([Evolved(raw[graph.sample]) for graph in graphs if graph.sample in raw]),
        [_sample_row(outcome, extractions.get(outcome.sample, Extraction())) for outcome in outcomes],
    )


def _save(transaction: Transaction, rows: GraphRows) -> None:
    ids = [row["id"] for row in rows.samples]
    stored = _stored(transaction, ids)
    known = {row["sample"]["id"] for row in transaction.run("samples_by_id", ids=ids)}
    if strangers := [id_ for id_ in ids if id_ not in known]:
        raise InputError(f"no sample {strangers[0]!r} in the graph; load its benchmark first")
    stale = [id_ for id_ in stored if graph_row(id_, *_both(id_, stored[id_])) != rows.graphs.get(id_)]
    if stale:
        refuse_evolved(transaction, stale, "the new graph differs")
        forget_graphs(transaction, stale)
        forget_explored(transaction)
    fresh = [row for id_, row in rows.graphs.items() if id_ in stale or id_ not in stored]
    transaction.save("save_terms", term_rows(term for row in fresh for _, term in row["links"]))
    transaction.save("create_graphs", fresh)
    write_questions(transaction, rows.raw)
    transaction.save("update_samples", rows.samples)


def _stored(transaction: Transaction, ids: Sequence[str]) -> dict[str, list[Any]]:
    """Return the edges that each sample has now."""
    return {row["sample"]: row["edges"] for row in transaction.run("graphs", samples=list(ids))}


def _sample_row(outcome: SampleGraph | Drop, extraction: Extraction) -> Row:
    if isinstance(outcome, Drop):
        properties = {"status": "dropped", "reason": outcome.reason, "detail": outcome.detail}
    else:
        properties = {"status": "extracted", "reason": "", "detail": ""}
    return {"id": outcome.sample, "properties": properties | extraction_properties(extraction)}


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
