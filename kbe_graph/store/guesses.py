"""Guesses at questions without their pictures, and the alternatives that the question's words allow."""

from collections.abc import Sequence
from functools import partial

from kbe_graph.store.connection import Connection, Transaction, batches
from kbe_graph.store.nodes import StoredGuess, alternatives_of, guess_of, guess_rows
from kbe_graph.store.row_check import Row
from kbe_graph.types import Alternative, Guess, Question

BATCH = 500
READ = 2_000


def guess_statements(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of guesses by the statement that writes them, in order."""
    links = [{"subject": row["id"], "object": row["properties"]["question"]} for row in rows]
    return {"save_guesses": rows, "save_guess_of": links}


def save_guesses(connection: Connection, run: str, items: Sequence[tuple[Question, Sequence[Guess]]]) -> None:
    """Save a run's guesses at questions in batches, replacing its earlier guesses at them."""
    for batch in batches(items, BATCH):
        rows = [row for question, guesses in batch for row in guess_rows(question, run, guesses)]
        asked = [{"id": question.id, "run": run} for question, _ in batch]
        connection.write(partial(_replace, asked=asked, rows=rows))


def _replace(transaction: Transaction, asked: list[Row], rows: list[Row]) -> None:
    transaction.save("forget_guesses", asked)
    transaction.save_all(guess_statements(rows))


def read_guesses(
    connection: Connection, *, run: str | None, hop: int | None, samples: Sequence[str] | None
) -> list[StoredGuess]:
    """Return guesses sorted by question, run and position."""
    if samples is None:
        rows = connection.read("guesses", run=run, hop=hop)
    else:
        rows = connection.read("guesses_of_samples", samples=sorted(set(samples)), run=run, hop=hop)
    guesses = [guess_of(row["guess"]) for row in rows]
    return sorted(guesses, key=lambda guess: (guess.question, guess.run, guess.position))


def forget_guesses(connection: Connection, run: str) -> None:
    """Delete all guesses of a run in batches."""
    while connection.write(partial(_forget, run=run)):
        pass


def _forget(transaction: Transaction, run: str) -> int:
    count: int = transaction.run("forget_guesses_of_run", run=run, most=BATCH)[0]["count"]
    return count


def read_alternatives(connection: Connection, questions: Sequence[str]) -> dict[str, tuple[Alternative, ...]]:
    """Return the alternatives of questions by question id, in order."""
    alternatives: dict[str, tuple[Alternative, ...]] = {}
    for batch in batches(sorted(set(questions)), READ):
        rows = connection.read("alternatives", ids=batch)
        alternatives |= {row["question"]: alternatives_of(row["question"], row["alternatives"]) for row in rows}
    return alternatives
