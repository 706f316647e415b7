"""Access of the pages to a workspace: one page and one query at a time, its questions, the console."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, KbeError
from kbe_graph.figures.outcomes import row_of, row_order
from kbe_graph.graph_access import runs_to_choose
from kbe_graph.show.tables import FlatTable
from kbe_graph.store import Store, Table
from kbe_graph.store.statements import queries, query_statement
from kbe_graph.text import in_order
from kbe_graph.types import RAW, TWIN, Question, Triplet
from kbe_graph.web.pages import Given, number_of
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
    """A sample's own question (``run`` is RAW) or a kept one of a run; ``picture`` is a file or empty.

    ``models`` says how many models were wrong on it.
    """

    sample: str
    run: str
    row: str
    hop: int
    text: str
    answer: str
    folded: str
    models: str = "not judged"
    picture: str = ""

    @property
    def benchmark(self) -> str:
        """The benchmark of the sample."""
        return self.sample.partition("/")[0]


class Explorer:
    """The pages' access to a workspace; ``read_again`` reads the list of questions and the counts again.

    ``cards`` holds the questions of each run by sample, and those of the samples under RAW; ``counts`` are those of
    ``Workspace.status``. ``runs`` are the names of the runs, first the ``chosen`` ones, which commands can choose.
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
            newest = sorted(runs_to_choose(work.folder, work.store.runs()), key=lambda run: run.state != "complete")
            self.runs = [*dict.fromkeys((*(run.name for run in newest), *self.counts["runs"]))]
            self.chosen = [run.name for run in newest]
            self.cards: dict[str, list[Card]] = {run: [] for run in (RAW, *self.runs)}
            models = {row["question"]: _wrong(row) for row in work.store.connection.read("models_right")}
            cards = [*_sample_cards(work.store, models), *_run_cards(work.store, models)]
            for card in sorted(cards, key=lambda card: (in_order(card.sample), card)):
                self.cards[card.run].append(card)
            self._accuracy = work.store.query("accuracy_by_hop", limit=MOST_ROWS).rows
            self.read_at = datetime.now(UTC)

    def accuracy(self, run: str) -> FlatTable:
        """Return each model's accuracy on the raw questions and those of a run, with the number of questions."""
        shares: dict[tuple[str, str], dict[str, str]] = {}
        for name, model, judge, hop, kind, questions, share in self._accuracy:
            if name in {RAW, run} and kind != TWIN:
                shares.setdefault((model, judge), {})[row_of(kind, hop)] = f"{share:.1f} % of {questions}"
        rows = sorted(set(chain.from_iterable(shares.values())), key=row_order)
        cells = [(*place, *(own.get(row, "") for row in rows)) for place, own in sorted(shares.items())]
        return FlatTable("accuracy", "Accuracy", ("model", "judge", *rows), cells)

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


def _wrong(row: Mapping[str, Any]) -> str:
    return "all models wrong" if not row["right"] else "a model wrong" if row["right"] < row["models"] else "none wrong"


def _sample_cards(store: Store, models: Mapping[str, str]) -> Iterator[Card]:
    for row in store.connection.read("samples_in_brief"):
        id_, text, answer = (part or "" for part in row["sample"][:3])
        folded = f"{id_}\n{text}\n{answer}".casefold()
        yield Card(id_, RAW, "raw", 0, text, answer, folded, models.get(f"{id_}@raw/0", "not judged"))


def _run_cards(store: Store, models: Mapping[str, str]) -> Iterator[Card]:
    for row in store.connection.read("questions_in_brief"):
        id_, sample, run, hop, kind, text, answer, status, _ = row["question"]
        if run != RAW and status == "kept":
            shown = sample, run, row_of(kind, hop), hop, text or "", answer or "", f"{text}\n{answer}".casefold()
            yield Card(*shown, models.get(id_, "not judged"))


PageMaker = Callable[[Explorer, Given], PageView]


MOST = 120  # edges


class PlacedTriplet(NamedTuple):
    """A triplet, the hop that added it, and the hops whose key path includes it."""

    triplet: Triplet
    hop: int
    key: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The relation, and its source if nobody checked one."""
        triplet = self.triplet
        return f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation


@dataclass(slots=True)
class Branch:
    """A node at one of its places, and the edge that leads to it, None for a root.

    The edges of a node are drawn at only one of its places, the others are copies. A ``backwards`` branch is at the
    source of its edge.
    """

    number: int
    label: str
    edge: PlacedTriplet | None = None
    is_copy: bool = False
    backwards: bool = False
    branches: list["Branch"] = field(default_factory=list)

    @property
    def hop(self) -> int:
        """The hop from which the branch is shown."""
        return self.edge.hop if self.edge else min((branch.hop for branch in self.branches), default=0)


class Drawing(NamedTuple):
    """The drawn roots, and the number of nodes, of drawn edges, and of edges in total."""

    roots: Sequence[Branch]
    nodes: int
    edges: int
    total: int


def triplets_by_hop(own: Iterable[Triplet], questions: Sequence[Question]) -> list[PlacedTriplet]:
    """Collect the distinct triplets of a sample and those added by its questions, key triplets first."""
    key: dict[str, list[int]] = {}
    first: dict[str, PlacedTriplet] = {triplet.id: PlacedTriplet(triplet, 0) for triplet in own}
    for question in questions:
        for triplet in question.key:
            key.setdefault(triplet.id, []).append(question.hop)
            first.setdefault(triplet.id, PlacedTriplet(triplet, question.hop))
    placed = [place._replace(key=tuple(sorted(set(key.get(id_, ()))))) for id_, place in first.items()]
    return sorted(placed, key=lambda place: (not place.key, place.hop, place.triplet.graph != "visual"))


def draw_triplets(placed: Sequence[PlacedTriplet]) -> Drawing:
    """Lay out the first triplets, up to the limit: each hop before the next, its key path first.

    So the additions of later hops appear below.
    """
    undrawn = list(placed[:MOST])
    ends = [end for edge in undrawn for end in (edge.triplet.subject, edge.triplet.object)]
    labels = {end.key: end.label for end in ends}
    numbers = {key: number for number, key in enumerate(labels)}
    targets = {edge.triplet.object.key for edge in undrawn}
    places: dict[str, Branch] = {}
    roots: list[Branch] = []

    def is_against(edge: PlacedTriplet) -> bool:
        subject, thing = edge.triplet.subject.key, edge.triplet.object.key
        return bool(edge.key) and subject not in places and thing in places

    def turn(edge: PlacedTriplet) -> tuple[int, bool, bool, bool]:
        subject = edge.triplet.subject.key
        is_new = subject not in places and not is_against(edge)
        return edge.hop, is_new, not edge.key, is_new and subject in targets

    while undrawn:
        edge = min(undrawn, key=turn)
        undrawn.remove(edge)
        start, end = edge.triplet.subject.key, edge.triplet.object.key
        backwards = is_against(edge)
        if backwards:
            start, end = end, start
        if start not in places:
            places[start] = Branch(numbers[start], labels[start])
            roots.append(places[start])
        branch = Branch(numbers[end], labels[end], edge, end in places, backwards)
        places[start].branches.append(branch)
        places.setdefault(end, branch)
    return Drawing(roots, len(labels), min(len(placed), MOST), len(placed))


ROWS, MOST_ROWS = 100, 1_000
MOST_LETTERS = 2_000  # per cell; a query may return a list of millions
SECONDS, MOST_SECONDS = 10, 60
_PARAMETER = "p."  # prefix of the form fields for a named statement's parameters


def console_page(explorer: Explorer, given: Given) -> PageView:
    """Build the console, filled in from the address, without running a query; raises InputError."""
    del explorer
    return PageView("console.html", _form(given) | {"table": None, "error": ""})


def answer_page(explorer: Explorer, given: Given) -> PageView:
    """Build the console with the result of the query, or its error."""
    form = _form(given)
    try:
        table = _ask(explorer, form)
    except KbeError as error:
        status = 429 if isinstance(error, CrowdedError) else 400
        return PageView("console.html", form | {"table": None, "error": str(error)}, status)
    return PageView("console.html", form | {"table": table, "error": ""})


def _form(given: Given) -> dict[str, Any]:
    statement = query_statement(given["name"]) if given.get("name") else None
    fields = {
        parameter.name: given.get(_PARAMETER + parameter.name, "" if parameter.required else parameter.default or "")
        for parameter in (statement.parameters if statement else ())
        if parameter.name != "limit"  # the cap on rows is its limit
    }
    rows = number_of(given, "rows", ROWS, least=1, most=MOST_ROWS)
    seconds = number_of(given, "seconds", SECONDS, least=1, most=MOST_SECONDS)
    asked = {name: given.get(name, "") for name in ("cypher", "parameters")}
    link = {"name": statement.name if statement else None, "rows": rows, "seconds": seconds}
    link |= {_PARAMETER + name: text for name, text in fields.items() if text}
    link |= {} if statement else {name: text for name, text in asked.items() if text}
    form = {"statements": queries(), "statement": statement, "fields": fields, "link_values": link, **asked}
    return form | {"rows": rows, "seconds": seconds}


def _ask(explorer: Explorer, form: dict[str, Any]) -> Table:
    rows, seconds = form["rows"], form["seconds"]
    with explorer.query() as store:
        if form["statement"]:
            values: dict[str, Any] = {name: text for name, text in form["fields"].items() if text}
            return store.query(form["statement"].name, values, limit=rows, timeout=seconds)
        if not form["cypher"].strip():
            raise InputError("the query is empty; write one, or choose a named statement")
        return store.query_text(form["cypher"], _parameters(form["parameters"]), limit=rows, timeout=seconds)


def _parameters(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f'the parameters are not JSON ({error}); write them as {{"hop": 1}}') from None
    if not isinstance(values, dict):
        raise InputError(f'the parameters are {text!r}; write names and values, such as {{"hop": 1}}')
    return values


def cell_text(cell: Any) -> str:
    """Format a cell of a result as text; a long one is cut, with a note.

    >>> cell_text({"name": "dog", "raw": b"ab"})
    '{"name": "dog", "raw": "6162"}'
    """
    text = cell if isinstance(cell, str) else "" if cell is None else _plain_text(cell)
    if len(text) <= MOST_LETTERS:
        return text
    return f"{text[:MOST_LETTERS]} … ({len(text)} characters; 'kbe query' prints the full value)"


def _plain_text(cell: Any) -> str:
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True, default=_plain_text)
    return cell.hex() if isinstance(cell, bytes | bytearray) else str(cell)
