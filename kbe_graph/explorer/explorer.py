"""Access of the pages to a workspace: one page and one query at a time, and the list of its questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any, NamedTuple

from kbe_graph.errors import KbeError
from kbe_graph.figures.outcomes import row_of
from kbe_graph.store import Store
from kbe_graph.types import RAW
from kbe_graph.web.pages import Given
from kbe_graph.workspace.workspace import Workspace


class PageView(NamedTuple):
    """A page: its template, the template's values, and the HTTP status."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


class CrowdedError(KbeError):
    """Too many requests at once; retrying helps."""

    retryable = True


class Card(NamedTuple):
    """A sample's own question (``run`` is RAW) or a kept one of a run; ``picture`` is a file or empty."""

    sample: str
    run: str
    row: str
    hop: int
    text: str
    answer: str
    folded: str
    picture: str = ""

    @property
    def benchmark(self) -> str:
        """The benchmark of the sample."""
        return self.sample.partition("/")[0]


class Explorer:
    """The pages' access to a workspace; ``read_again`` reads the list of questions and the counts again.

    ``cards`` holds the questions of each run by sample, and those of the samples under RAW; ``counts`` are those of
    ``Workspace.status``.
    """

    def __init__(self, work: Workspace) -> None:
        self._work, self._lock, self._query = work, Lock(), Lock()
        self._asked: Store | None = None  # by the running query
        self.read_again()

    def read_again(self) -> None:
        """Read the list of questions and the counts. Raises StoreError."""
        with self.work() as work:
            self.folders = work.folder.images()  # includes the index of their files
            self.counts = work.status()
            self.cards: dict[str, list[Card]] = {run: [] for run in (RAW, *self.counts["runs"])}
            for card in sorted([*_sample_cards(work.store), *_run_cards(work.store)]):
                self.cards[card.run].append(card)
            self.read_at = datetime.now(UTC)

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self.counts["runs"])

    @contextmanager
    def work(self) -> Iterator[Workspace]:
        """Lend the workspace to one page at a time."""
        with self._lock:
            yield self._work

    @contextmanager
    def query(self) -> Iterator[Store]:
        """Lend the graph to one console query at a time, while pages are still served.

        A query that takes too long may have to be stopped together with its engine; the next page opens the graph
        again. Raises CrowdedError while another query runs.
        """
        if not self._query.acquire(blocking=False):
            raise CrowdedError("another query is running; try again when it is done")
        try:
            with self._lock:
                self._asked = self._work.store
            yield self._asked
        finally:
            self._query.release()

    def end(self) -> None:
        """Stop the running query, if any, where only its engine can be stopped."""
        if self._query.locked() and self._asked:
            self._asked.connection.halt()

    def with_pictures(self, cards: Sequence[Card]) -> list[Card]:
        """Add the file of the sample's first picture to each card."""
        with self.work() as work:
            samples = work.store.samples(ids=sorted({card.sample for card in cards}))
        files = {sample.id: self.folders.of(sample) for sample in samples}
        return [card._replace(picture=str(files[card.sample][0]) if files.get(card.sample) else "") for card in cards]


def _sample_cards(store: Store) -> Iterator[Card]:
    for row in store.connection.read("samples_in_brief"):
        id_, text, answer = (part or "" for part in row["sample"][:3])
        yield Card(id_, RAW, "raw", 0, text, answer, f"{id_}\n{text}\n{answer}".casefold())


def _run_cards(store: Store) -> Iterator[Card]:
    for row in store.connection.read("questions_in_brief"):
        _, sample, run, hop, kind, text, answer, status, _ = row["question"]
        if run != RAW and status == "kept":
            yield Card(sample, run, row_of(kind, hop), hop, text or "", answer or "", f"{text}\n{answer}".casefold())


PageMaker = Callable[[Explorer, Given], PageView]
