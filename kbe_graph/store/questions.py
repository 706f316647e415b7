"""Storage of questions with their key subgraphs, candidates, inspections, guesses and alternatives."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.store.connection import Connection, Transaction, batches, saving_behind
from kbe_graph.store.edges import (
    alternative_rows,
    entity_rows,
    entity_statements,
    explored_rows,
    key_of,
    key_rows,
)
from kbe_graph.store.guesses import guess_statements
from kbe_graph.store.nodes import Evolved, candidate_rows, guess_rows, inspection_rows, question_of, question_row
from kbe_graph.store.row_check import Row
from kbe_graph.types import RAW, Question, Triplet

BATCH = 200
READ = 500


class QuestionQuery(NamedTuple):
    """Filters on questions; None matches all. ``samples`` are ids."""

    run: str | None = None
    hop: int | None = None
    status: str | None = "kept"
    samples: Sequence[str] | None = None


def save_questions(connection: Connection, items: Sequence[Evolved]) -> None:
    """Save questions with their candidates, inspections, guesses and alternatives, replacing existing ones."""
    ordered = sorted(items, key=lambda item: (item.question.hop, item.question.id))
    with saving_behind(connection.write) as write:
        for batch in batches(ordered, BATCH):
            write(partial(write_questions, rows=question_rows(batch)))


def question_rows(items: Sequence[Evolved]) -> dict[str, list[Row]]:
    """Return the rows of questions by the statement that writes them, in order: nodes before edges."""
    questions = [item.question for item in items]
    inspections = [row for item in items for row in inspection_rows(item)]
    guesses = [row for item in items for row in guess_rows(item.question, item.question.run, item.guesses)]
    return {
        "save_questions": [question_row(question) for question in questions],
        "create_candidates": [row for item in items for row in candidate_rows(item)],
        "save_inspections": inspections,
        **entity_statements(_entities(questions)),
        "save_explored": [row for question in questions for row in explored_rows(question)],
        "create_key": [row for question in questions for row in key_rows(question)],
        "save_of": [{"subject": question.id, "object": question.sample} for question in questions],
        "save_evolved_from": [
            {"subject": question.id, "object": question.parent} for question in questions if question.parent
        ],
        "save_about": [{"subject": row["id"], "object": row["properties"]["question"]} for row in inspections],
        **guess_statements(guesses),
        "save_alternatives": [row for item in items for row in alternative_rows(item.question, item.alternatives)],
    }


def _entities(questions: Sequence[Question]) -> list[Row]:
    """Return the entities that hops added to the keys; earlier ones belong to the samples' graphs and are stored.

    For a reviewer's version all entities of the key count, as it may end in a different entity at any hop.
    """
    added = (each.key if each.status == "revised" else each.explored for each in questions)
    rows = [row for each, key in zip(questions, added, strict=True) for row in entity_rows(each.sample, key)]
    return list({row["id"]: row for row in reversed(rows)}.values())[::-1]


def write_questions(transaction: Transaction, rows: Mapping[str, list[Row]]) -> None:
    """Write the rows of questions in a transaction, replacing existing questions.

    A raw question keeps its variants, since its text comes from its sample and is deleted with it.
    """
    known = transaction.run("question_ids", ids=[row["id"] for row in rows["save_questions"]])
    forget_about(transaction, known)
    raw = {row["id"] for row in rows["save_questions"] if row["properties"]["run"] == RAW}
    transaction.save("forget_variants", [row for row in known if row["id"] not in raw])
    transaction.save("forget_question_edges", known)
    transaction.save_all(rows)


def forget_about(transaction: Transaction, questions: list[Row]) -> None:
    """Delete the candidates, inspections, guesses, alternatives and forms of questions.

    A run's guesses at raw questions are kept, as they belong to the run.
    """
    for name in ("forget_candidates", "forget_inspections", "forget_guesses", "forget_alternatives", "forget_forms"):
        transaction.save(name, questions)


def read_questions(connection: Connection, wanted: QuestionQuery) -> list[Question]:
    """Return questions with their keys, sorted by id."""
    rows = _rows(connection, wanted)
    keys: dict[str, tuple[Triplet, ...]] = {}
    for batch in batches(sorted({row["sample"] for row in rows if row["difficulty"]}), READ):
        keys |= keys_of(connection, batch, run=wanted.run, hop=wanted.hop)
    return sorted((question_of(row, keys.get(row["id"], ())) for row in rows), key=lambda question: question.id)


def _rows(connection: Connection, wanted: QuestionQuery) -> list[Row]:
    narrow: dict[str, Any] = {"hop": wanted.hop, "status": wanted.status}
    if wanted.samples is not None:
        ids = sorted(set(wanted.samples))
        rows = connection.read("questions_of_samples", samples=ids, run=wanted.run, **narrow)
    elif wanted.run is not None:
        rows = connection.read("questions_of_run", run=wanted.run, **narrow)
    else:
        rows = connection.read("questions", **narrow)
    return [row["question"] for row in rows]


def keys_of(
    connection: Connection, samples: Sequence[str], *, run: str | None = None, hop: int | None = None
) -> Mapping[str, tuple[Triplet, ...]]:
    """Return the key subgraphs of the samples' questions, by question id."""
    rows = connection.read("keys", samples=list(samples), run=run, hop=hop)
    return {row["question"]: key_of(row["question"], row["edges"]) for row in rows}
