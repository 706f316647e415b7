"""Questions in the graph, with their key subgraphs and the candidates considered for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.entities import write_entities
from kbe_graph.store.rows import (
    RAW,
    Evolved,
    Row,
    candidate_rows,
    entity_rows,
    explored_rows,
    key_of,
    key_rows,
    question_of,
    question_row,
)
from kbe_graph.types import Question, Triplet

BATCH = 200
READ = 500


def save_questions(connection: Connection, items: Sequence[Evolved]) -> None:
    """Save questions in batches, each with its key, new triplets and candidates; one that is there is replaced."""
    ordered = sorted(items, key=lambda item: (item.question.hop, item.question.id))
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        connection.write(partial(write_questions, items=batch))


def write_questions(transaction: Transaction, items: Sequence[Evolved]) -> None:
    """Write questions within a transaction: nodes first, edges after."""
    questions = [item.question for item in items]
    _replace(transaction, questions)
    candidates = [row for item in items for row in candidate_rows(item)]
    transaction.save("save_questions", [question_row(question) for question in questions])
    transaction.save("save_candidates", candidates)
    write_entities(transaction, _entities([question for question in questions if question.run != RAW]))
    transaction.save("save_explored", [row for one in questions if one.hop for row in explored_rows(one)])
    transaction.save("save_key", [row for question in questions for row in key_rows(question)])
    transaction.save("save_of", [{"subject": one.id, "object": one.sample} for one in questions])
    transaction.save(
        "save_evolved_from", [{"subject": one.id, "object": one.parent} for one in questions if one.parent]
    )
    transaction.save(
        "save_for", [{"subject": row["id"], "object": row["properties"]["question"]} for row in candidates]
    )


def _entities(questions: Sequence[Question]) -> list[Row]:
    """Return the entities that keys name; those of the samples' own graphs are there, and stay as they are.

    A raw key names no others.
    """
    rows = [row for question in questions for row in entity_rows(question.sample, question.key)]
    return list({row["id"]: row for row in reversed(rows)}.values())[::-1]


def _replace(transaction: Transaction, questions: Sequence[Question]) -> None:
    known = transaction.run("question_ids", ids=[question.id for question in questions])
    transaction.save("forget_candidates", known)
    transaction.save("forget_question_edges", known)


def read_questions(
    connection: Connection,
    *,
    run: str | None = None,
    hop: int | None = None,
    status: str | None = "kept",
    samples: Sequence[str] | None = None,
) -> list[Question]:
    """Return the questions sorted by id, with their keys; each condition narrows them."""
    rows = _rows(connection, run=run, hop=hop, status=status, samples=samples)
    keys: dict[str, tuple[Triplet, ...]] = {}
    wanted = sorted({row["sample"] for row in rows if row["difficulty"]})
    for start in range(0, len(wanted), READ):
        keys |= keys_of(connection, wanted[start : start + READ], run=run, hop=hop)
    return sorted((question_of(row, keys.get(row["id"], ())) for row in rows), key=lambda question: question.id)


def _rows(
    connection: Connection, *, run: str | None, hop: int | None, status: str | None, samples: Sequence[str] | None
) -> list[Row]:
    narrow: dict[str, Any] = {"hop": hop, "status": status}
    if samples is not None:
        rows = connection.read("questions_of_samples", samples=sorted(set(samples)), run=run, **narrow)
    elif run is not None:
        rows = connection.read("questions_of_run", run=run, **narrow)
    else:
        rows = connection.read("questions", **narrow)
    return [row["question"] for row in rows]


def keys_of(
    connection: Connection, samples: Sequence[str], *, run: str | None = None, hop: int | None = None
) -> Mapping[str, tuple[Triplet, ...]]:
    """Return the key subgraphs of the questions of samples, by question id."""
    edges: dict[str, list[Row]] = defaultdict(list)
    for row in connection.read("keys", samples=list(samples), run=run, hop=hop):
        edges[row["key"]["question"]].append(_flat(row))
    return {question: key_of(rows) for question, rows in edges.items()}


def _flat(row: Row) -> Row:
    names = ("subject_name", "subject_number", "subject_noun", "subject_concept")
    values = dict(zip(names, row["subject_values"], strict=True))
    return {**row["key"], **values, **{name: row[name] for name in ("subject", "object", "number")}}
