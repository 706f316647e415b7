"""Access of the pages to a workspace: one page and one query at a time, and the list of its questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import BoundedSemaphore, Lock
from typing import Any, NamedTuple

from kbe_graph.errors import KbeError
from kbe_graph.evaluate.outcomes import row_of
from kbe_graph.files.image import ImageFolders
from kbe_graph.store import Store
from kbe_graph.types import RAW
from kbe_graph.web.pages import Given
from kbe_graph.workspace.workspace import Workspace

WAITING = 3  # queries that may wait for the running one; each may take a minute and occupies a thread


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
        self._work, self._lock, self._query, self._reading = work, Lock(), Lock(), Lock()
        self._places = BoundedSemaphore(1 + WAITING)
        self._ended = False
        self._stop: Callable[[], None] = lambda: None  # stops the running query
        self.read_again()

    def read_again(self) -> None:
        """Read the list of questions and the counts. Raises StoreError, and CrowdedError while they are read."""
        with _take(self._reading, "the graph is already being read again; wait for it to finish"), self.work() as work:
            self.folders = ImageFolders(work.folder.image_folders)  # includes the index of their files
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

        A query that takes too long may have to be stopped together with its engine; this waits until no page uses the
        engine, and the next page reopens the graph. Raises CrowdedError if ``WAITING`` queries are already waiting.
        """
        crowd = f"one query is running and {WAITING} are waiting; try again when they are done"
        with _take(self._places, crowd), self._query:
            if self._ended:
                raise CrowdedError("kbe explore has ended")
            with self._lock:
                connection = self._work.store.connection
            driver = connection.dial_reader()
            self._stop = connection.halt or driver.close
            yield Store(replace(connection, dial_reader=lambda: driver, halt=connection.halt and self._halt))

    def _halt(self) -> None:
        with self._lock:
            self._stop()
            self._work.close()

    def end(self) -> None:
        """Stop the running query, if any, and prevent further ones."""
        self._ended = True
        if not self._query.acquire(blocking=False):
            self._stop()

    def with_pictures(self, cards: Sequence[Card]) -> list[Card]:
        """Add the file of the sample's first picture to each card."""
        with self.work() as work:
            samples = work.store.samples(ids=sorted({card.sample for card in cards}))
        files = {sample.id: self.folders.find_all(sample.images, sample.image_id) for sample in samples}
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


@contextmanager
def _take(place: "Lock | BoundedSemaphore", otherwise: str) -> Iterator[None]:
    if not place.acquire(blocking=False):
        raise CrowdedError(otherwise)
    try:
        yield
    finally:
        place.release()


PageMaker = Callable[[Explorer, Given], PageView]
