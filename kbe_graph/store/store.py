"""The open graph: the interface that the other packages use."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kbe_graph.store import funnel, paths, reviews, user_query
from kbe_graph.store.backup import Backup, backup, restore
from kbe_graph.store.forget import Forgetting
from kbe_graph.store.paths import CycleRow
from kbe_graph.store.questions import StoredQuestions
from kbe_graph.store.samples import StoredSamples
from kbe_graph.store.user_query import Table
from kbe_graph.store.wiki_graph import StoredWiki
from kbe_graph.types import Progress, Review, SampleGraph, Triplet


class Store(StoredSamples, StoredQuestions, StoredWiki, Forgetting):
    """An open graph. Saving is idempotent; every method raises StoreError.

    The raw questions belong to the run ``raw``.
    """

    def count_reviews(self) -> int:
        """Count the decisions of reviewers."""
        return sum(row["decisions"] for row in self.connection.read("count_reviews"))

    def save_reviews(self, saved: reviews.ReviewSave) -> list[Review]:
        """Store decisions in one transaction, and return them with their ids; raises InputError.

        A decision gets the next number of its reviewer on its question, so that none replaces another one.
        """
        return reviews.save_reviews(self.connection, saved)

    def reviews(
        self, questions: Sequence[str] | None = None, *, run: str | None = None, reviewer: str | None = None
    ) -> list[Review]:
        """Return reviewers' decisions on ``questions`` (ids) or on a run, sorted by question, time and number."""
        return reviews.read_reviews(self.connection, questions=questions, run=run, reviewer=reviewer)

    def reselect(
        self, graphs: Mapping[str, SampleGraph], *, seed: int, max_length: int = 10, timeout: float = 60
    ) -> dict[str, list[tuple[Triplet, ...]]]:
        """Return each sample's longest simple paths from IMAGE to at most twenty nouns, longest first.

        ``graphs`` come from ``Store.graphs``. An end has at most three paths, each of a different length; among paths
        of equal length, ``seed`` decides. A sample whose search takes longer than ``timeout`` seconds is left out.
        """
        return paths.reselect(self.connection, graphs, seed=seed, max_length=max_length, timeout=timeout)

    def cycles(self, rows: Sequence[CycleRow]) -> list[str]:
        """Return for each row the key of the entity that its object is or leads back to, or an empty string."""
        return paths.cycles(self.connection, rows)

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Return counts by stage, hop and reason, for one run or all."""
        return funnel.read_status(self.connection, self.extractions(), run)

    def query(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run a named query; raises InputError for an unknown name or parameter."""
        return user_query.query(self.connection, name, dict(parameters or {}), limit=limit, timeout=timeout)

    def query_text(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = 1_000, timeout: float = 60
    ) -> Table:
        """Run a user's own Cypher, read-only; raises InputError if it tries to write."""
        return user_query.query_text(self.connection, text, dict(parameters or {}), limit=limit, timeout=timeout)

    def backup(self, file: Path, *, progress: Progress = lambda *_: None) -> Backup:
        """Write the whole graph to a file that every engine can restore. Raises InputError."""
        return backup(self.connection, file, progress=progress)

    def restore(self, file: Path, *, replace: bool = False, progress: Progress = lambda *_: None) -> Backup:
        """Load a backup into the graph, empty unless ``replace`` is set; raises InputError if it is incomplete."""
        return restore(self.connection, file, replace=replace, progress=progress)
