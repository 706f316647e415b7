"""Storage of samples (loaded, extracted or dropped) with their visual and textual graphs and the raw question."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction, batches, saving_behind
from kbe_graph.store.edges import graph_of, graph_row, term_rows
from kbe_graph.store.forget import forget_graphs, refuse_evolved
from kbe_graph.store.nodes import (
    Evolved,
    SampleStatus,
    extraction_of,
    extraction_properties,
    field_properties,
    node_row,
    sample_of,
    sample_row,
    status_of,
)
from kbe_graph.store.questions import keys_of, question_rows, write_questions
from kbe_graph.store.row_check import Row
from kbe_graph.text import on_one_line
from kbe_graph.types import RAW, REPLACED, Drop, Extraction, Progress, Question, Sample, SampleGraph, question_id

BATCH = 500
GRAPHS = 200
READ = 10_000
LOADED = {"status": "loaded", "reason": "", "detail": "", **extraction_properties(Extraction())}
ANSWER = ("answer", "choice", "replaced")
STATES = ("loaded", "extracted", "dropped")
SaveGraphs = Callable[[Sequence[SampleGraph | Drop], Sequence[Question], Mapping[str, Extraction]], None]


class SampleQuery(NamedTuple):
    """Filters on samples; None matches all."""

    benchmark: str | None = None
    split: str | None = None
    ids: Sequence[str] | None = None
    status: str | None = None


class GraphRows(NamedTuple):
    """The rows of a batch: graphs by sample, raw questions by statement, and the status of all its samples.

    ``answers`` are the answers, by sample, with which models replaced those of the benchmark.
    """

    graphs: dict[str, Row]
    raw: dict[str, list[Row]]
    samples: list[Row]
    answers: dict[str, str]


def save_samples(connection: Connection, samples: Sequence[Sample], *, progress: Progress) -> None:
    """Save samples in batches; raises InputError if a sample with evolved questions has changed."""
    ordered = sorted(samples, key=lambda sample: sample.id)
    done = 0
    progress("load", done, len(ordered))
    with saving_behind(connection.write) as write:
        for batch in batches(ordered, BATCH):
            write(partial(_save_samples, rows=[sample_row(sample) for sample in batch]))
            done += len(batch)
            progress("load", done, len(ordered))


def _save_samples(transaction: Transaction, rows: list[Row]) -> None:
    known = {row["sample"]["id"]: _as_loaded(row["sample"]) for row in transaction.run("samples_by_id", ids=_ids(rows))}
    fresh = [{**row, "properties": row["properties"] | LOADED} for row in rows if row["id"] not in known]
    changed = [row for row in rows if row["id"] in known and _differs(row["properties"], known[row["id"]])]
    if changed:
        refuse_evolved(transaction, _ids(changed), "the sample reads differently now")
        forget_graphs(transaction, _ids(changed))
    transaction.save("save_samples", fresh)
    transaction.save("update_samples", [{**row, "properties": row["properties"] | LOADED} for row in changed])


def _as_loaded(node: Row) -> Row:
    return node | field_properties(sample_of(node).as_loaded, ANSWER) if node.get("replaced") else node


def _ids(rows: Sequence[Row]) -> list[str]:
    return [row["id"] for row in rows]


def _differs(properties: Row, known: Row) -> bool:
    return any(
        (value or None) not in (known.get(name) or None, _on_one_line(known.get(name)))
        for name, value in properties.items()
    )


def _on_one_line(value: Any) -> Any:
    return [on_one_line(text) for text in value] if isinstance(value, list) else on_one_line(value or "")


def read_samples(connection: Connection, wanted: SampleQuery) -> list[Sample]:
    """Return samples sorted by id; raises InputError for an unknown status."""
    if wanted.status is not None and wanted.status not in STATES:
        raise InputError(f"no status {wanted.status!r}; choose from {', '.join(STATES)}")
    return sorted((sample_of(row) for row in _rows(connection, wanted)), key=lambda sample: sample.id)


def _rows(connection: Connection, wanted: SampleQuery) -> list[Row]:
    values: dict[str, Any] = {"benchmark": wanted.benchmark, "split": wanted.split, "status": wanted.status}
    if wanted.ids is None:
        return [row["sample"] for row in connection.read("samples", **values)]
    rows = [row["sample"] for row in connection.read("samples_by_id", ids=sorted(set(wanted.ids)))]
    return [row for row in rows if all(value is None or row[name] == value for name, value in values.items())]


def read_sample_status(connection: Connection, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
    """Return the status of samples, by id."""
    return {row["id"]: status_of(row) for row in _rows(connection, SampleQuery(ids=ids))}


def read_extractions(connection: Connection, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
    """Return the extractions of the samples' graphs with the number of graphs of each, most frequent first."""
    if ids is None:
        rows = connection.read("extractions")
    else:
        rows = [row for batch in batches(ids, READ) for row in connection.read("extractions_of_samples", samples=batch)]
    counts: Counter[Extraction] = Counter()
    for row in rows:
        counts[extraction_of(row)] += row["samples"]
    return sorted(counts.items(), key=lambda pair: (-pair[1], astuple(pair[0])))


@contextmanager
def saving_graphs(connection: Connection) -> Iterator[SaveGraphs]:
    """Yield a function that saves the outcomes of an extraction in batches of ``GRAPHS``, sorted by sample.

    It saves each graph with its raw question, or the reason of a drop, and the extraction. An identical graph is kept;
    a different one is replaced, unless a run depends on it, which raises InputError. Each batch is prepared while the
    previous one is written, and is written in one transaction. The error of a save is raised later, at the latest on
    exit.
    """
    with saving_behind(connection.write) as write:

        def save(
            outcomes: Sequence[SampleGraph | Drop], raw: Sequence[Question], extractions: Mapping[str, Extraction]
        ) -> None:
            questions = {question.sample: question for question in raw}
            for batch in batches(sorted(outcomes, key=lambda outcome: outcome.sample), GRAPHS):
                write(partial(_save_graphs, rows=_graph_rows(batch, questions, extractions)))

        yield save


def _graph_rows(
    outcomes: Sequence[SampleGraph | Drop], raw: Mapping[str, Question], extractions: Mapping[str, Extraction]
) -> GraphRows:
    graphs = [outcome for outcome in outcomes if isinstance(outcome, SampleGraph)]
    return GraphRows(
        {graph.sample: graph_row(graph.sample, graph.visual, graph.textual) for graph in graphs},
        question_rows([Evolved(raw[graph.sample]) for graph in graphs if graph.sample in raw]),
        [_status_row(outcome, extractions.get(outcome.sample, Extraction())) for outcome in outcomes],
        {graph.sample: graph.answer for graph in graphs if graph.answer},
    )


def _status_row(outcome: SampleGraph | Drop, extraction: Extraction) -> Row:
    if isinstance(outcome, Drop):
        status = {"status": "dropped", "reason": outcome.reason, "detail": outcome.detail}
    else:
        status = {"status": "extracted", "reason": "", "detail": ""}
    return node_row(outcome.sample, status | extraction_properties(extraction))


def _save_graphs(transaction: Transaction, rows: GraphRows) -> None:
    ids = _ids(rows.samples)
    stored = {row["sample"]: row["edges"] for row in transaction.run("graphs", samples=ids)}
    known = {row["sample"]["id"]: row["sample"] for row in transaction.run("samples_by_id", ids=ids)}
    if strangers := [id_ for id_ in ids if id_ not in known]:
        raise InputError(f"no sample {strangers[0]!r} in the graph; load its benchmark first")
    samples = [_answered(row, known[row["id"]], rows.answers.get(row["id"], "")) for row in rows.samples]
    moved = {each["id"] for each in samples if _is_moved(each["properties"], known[each["id"]])}
    other = {id_ for id_, edges in stored.items() if graph_row(id_, *graph_of(id_, edges)) != rows.graphs.get(id_)}
    stale = [id_ for id_ in stored if id_ in moved | other]
    if stale:
        refuse_evolved(transaction, stale, "the new graph differs")
        forget_graphs(transaction, stale)
    fresh = [row for id_, row in rows.graphs.items() if id_ in stale or id_ not in stored]
    transaction.save("save_terms", term_rows(term for row in fresh for _, term in row["links"]))
    transaction.save("create_graphs", fresh)
    write_questions(transaction, rows.raw)
    transaction.save("update_samples", samples)


def _answered(row: Row, node: Row, answer: str) -> Row:
    if not answer and not node.get("replaced"):
        return row
    sample = sample_of(node).as_loaded.with_answer(answer)
    why = {"reason": REPLACED, "detail": f"{sample.replaced!r} is contradicted"} if answer else {}
    return node_row(row["id"], row["properties"] | field_properties(sample, ANSWER) | why)


def _is_moved(properties: Row, node: Row) -> bool:
    return bool(properties.get("answer", node["answer"]) != node["answer"])


def read_graphs(connection: Connection, ids: Sequence[str]) -> dict[str, SampleGraph]:
    """Return the samples' graphs by id, without explored triplets, with the raw key; skip samples without a graph."""
    graphs: dict[str, SampleGraph] = {}
    for batch in batches(sorted(set(ids)), GRAPHS):
        edges = {row["sample"]: row["edges"] for row in connection.read("graphs", samples=batch)}
        keys = keys_of(connection, batch, run=RAW)
        raw = {id_: question_id(id_, RAW, 0) for id_ in batch}
        graphs |= {
            id_: SampleGraph(id_, *graph_of(id_, edges.get(id_, ())), keys[raw[id_]])
            for id_ in batch
            if raw[id_] in keys
        }
    return graphs
