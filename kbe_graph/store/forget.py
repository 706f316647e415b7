"""Deletion of runs and samples with everything that depends on them, and of graphs that an extraction replaces."""

from collections.abc import Callable, Sequence
from functools import partial

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Stored, Transaction, batches
from kbe_graph.store.questions import forget_about
from kbe_graph.types import RAW, Progress

BATCH = 200


def refuse_evolved(transaction: Transaction, samples: Sequence[str], change: str) -> None:
    """Raise InputError if any run has questions about one of the samples, because those depend on the sample."""
    rows = transaction.run("run_questions_of_samples", samples=list(samples))
    if rows:
        runs = ", ".join(sorted({row["run"] for row in rows}))
        raise InputError(
            f"{rows[0]['sample']}: {change}, but the questions of run {runs!r} rest on the earlier version; "
            "forget the run, or use another workspace for the new graph"
        )


def forget_graphs(transaction: Transaction, samples: Sequence[str]) -> None:
    """Delete the entities, triplets and raw questions of the samples."""
    ids = list(samples)
    names = [row["id"] for row in transaction.run("terms_of_samples", samples=ids)]
    of_raw = transaction.run("questions_of_samples", samples=ids, run=RAW, hop=None, status=None)
    raw = [{"id": row["question"]["id"]} for row in of_raw]
    transaction.save("forget_forms", raw)
    transaction.save("forget_variants", raw)
    transaction.save("forget_reviews", raw)
    transaction.run("forget_guesses_of_samples", samples=ids)
    transaction.run("forget_entities", samples=ids)
    transaction.run("forget_identities", samples=ids, run=None)
    transaction.run("forget_raw", samples=ids)
    transaction.run("forget_terms", names=names)


class Forgetting(Stored):
    """Deletion of runs and samples with everything that depends on them."""

    def runs_of(self, samples: Sequence[str]) -> set[str]:
        """Return the names of the runs that have questions about the samples (ids)."""
        rows = self.connection.read_by_ids("run_questions_of_samples", samples, parameter="samples")
        return {row["run"] for row in rows}

    def forget_run(self, name: str, *, progress: Progress = lambda *_: None) -> int:
        """Delete a run with everything that depends on it; return the number of deleted questions."""
        rows = self.connection.read("questions_of_run", run=name, hop=None, status=None)
        samples = sorted({row["question"]["sample"] for row in rows})
        count = _in_batches(self.connection, samples, partial(_forget_run_of, run=name), progress)
        # guesses at raw questions of samples about which the run has no question
        self.connection.run_until_done("forget_guesses_of_run", run=name, most=BATCH)
        self.connection.run("forget_runs", names=[name])
        return count

    def forget_outcomes(self, run: str, samples: Sequence[str]) -> None:
        """Delete a run's questions about these samples (ids), which are about to be saved anew."""
        for batch in batches(samples, BATCH):
            self.connection.write(partial(_forget_questions, samples=batch, run=run))

    def forget_samples(self, ids: Sequence[str], *, progress: Progress = lambda *_: None) -> int:
        """Delete samples with everything that depends on them; return the number of deleted questions."""
        return _in_batches(self.connection, ids, _forget_samples, progress)


def _in_batches(connection: Connection, samples: Sequence[str], forget: Callable[..., int], progress: Progress) -> int:
    count = done = 0
    for batch in batches(samples, BATCH):
        count += connection.write(partial(forget, samples=batch))
        done += len(batch)
        progress("forget", done, len(samples))
    return count


def _forget_run_of(transaction: Transaction, samples: Sequence[str], *, run: str) -> int:
    names = [row["id"] for row in transaction.run("terms_of_samples", samples=samples)]
    count = _forget_questions(transaction, samples, run)
    transaction.run("forget_drafts", samples=samples, run=run)
    transaction.run("forget_identities", samples=samples, run=run)
    transaction.run("forget_run_edges", samples=samples, run=run)
    transaction.run("forget_unlinked_entities", samples=samples)
    transaction.run("forget_terms", names=names)
    return count


def _forget_samples(transaction: Transaction, samples: Sequence[str]) -> int:
    count = _forget_questions(transaction, samples, None)
    forget_graphs(transaction, samples)
    transaction.run("forget_drafts", samples=samples, run=None)
    transaction.run("forget_samples", samples=samples)
    return count


def _forget_questions(transaction: Transaction, samples: Sequence[str], run: str | None) -> int:
    rows = transaction.run("questions_of_samples", samples=samples, run=run, hop=None, status=None)
    ids = [{"id": row["question"]["id"]} for row in rows]
    forget_about(transaction, ids)
    for name in ("forget_variants", "forget_reviews", "forget_questions"):
        transaction.save(name, ids)
    return len(ids)
