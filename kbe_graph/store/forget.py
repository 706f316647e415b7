"""Takes the graphs of samples out again, where an extraction replaces them."""

from collections.abc import Sequence

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Transaction


def refuse_evolved(transaction: Transaction, samples: Sequence[str], change: str) -> None:
    """Raise InputError where a run has questions of one of the samples, because they rest on what would change."""
    rows = transaction.run("run_questions_of_samples", samples=list(samples))
    if rows:
        runs = ", ".join(sorted({row["run"] for row in rows}))
        raise InputError(
            f"{rows[0]['sample']}: {change}, but the questions of run {runs!r} rest on what it was; "
            "use another workspace for the new graph"
        )


def forget_graphs(transaction: Transaction, samples: Sequence[str]) -> None:
    """Take the entities, triplets and raw questions of the samples out of the graph."""
    ids = list(samples)
    names = [row["id"] for row in transaction.run("terms_of_samples", samples=ids)]
    transaction.run("forget_entities", samples=ids)
    transaction.run("forget_raw", samples=ids)
    transaction.run("forget_terms", names=names)
