"""``work.graph``: the graph queried, saved, and opened to other programs; values that also give a typed frame."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from kbe_graph.brief import brief, number_of, readable, rows_below
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.files.whole import require_own
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Address, Store, Table, engine
from kbe_graph.store.connection import StatementTimeout
from kbe_graph.store.engine import running
from kbe_graph.store.samples import STATES
from kbe_graph.types import RAW, Question, Sample, Triplet, draw_ids, sample_of_question

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.show.sample_story import SampleStory
    from kbe_graph.store.backup import Backup
    from kbe_graph.store.nodes import CandidateRow

Value = TypeVar("Value")
SHOWN = 20  # rows that a notebook shows
FEW = 5  # values that a session shows

# The columns of frames: a field, with its type unless it is a string, and after "=" where it stands if not by its name.
SAMPLE = "id benchmark split question answer answers:object image image_id"
QUESTION = (
    "id sample run hop:int64 kind text answer aliases:object concept parent status reason difficulty:int64 "
    "maker=provenance.maker pattern=provenance.pattern"
)
TRIPLET = (
    "sample subject=triplet.subject.label relation=triplet.relation object=triplet.object.label graph=triplet.graph "
    "source=triplet.source source_ref=triplet.source_ref evidence=triplet.evidence key:bool run hop:int64"
)
CANDIDATE = (
    "question sample run hop:int64 subject relation object object_id status reason detail source source_ref "
    "faulty:boolean type grounding"
)
PREDICTION = (
    "model question text run:int64 variant asked tokens:Int64 verdict judge votes:object reply read_by "
    "other_verdicts:object"
)
FORM = "question form text options:object answers:object maker"


@brief()
class SampleTriplet(NamedTuple):
    """A triplet of a sample: from its own graph (``run`` is empty), or explored by a run at a hop.

    ``key`` is True if it is on the key path of the raw question, or of the question of the run at that hop.
    """

    sample: str
    triplet: Triplet
    key: bool = False
    run: str = ""
    hop: int = 0


class Values(tuple[Value, ...], Generic[Value]):  # noqa: SLOT001 - it has columns
    """Values in a fixed order. ``frame`` returns them as a pandas DataFrame; a notebook shows the first rows.

    >>> questions = work.questions(run="raw")
    >>> len(questions) == len(questions.frame())
    True
    >>> questions.frame().dtypes["hop"]
    dtype('int64')
    """

    columns: str

    def __new__(cls, values: Iterable[Value], columns: str) -> Self:
        """Take the values and the columns of their frame."""
        made = super().__new__(cls, values)
        made.columns = columns
        return made

    def frame(self) -> "pd.DataFrame":
        """Return a DataFrame with one row per value: text as ``string``, numbers as ``int64``, lists as objects."""
        import pandas as pd

        series = {}
        for column in self.columns.split():
            field, _, dtype = column.partition(":")
            name, _, place = field.partition("=")
            series[name] = pd.Series(list(map(attrgetter(place or name), self)), dtype=dtype or "string")
        return pd.DataFrame(series)

    def __repr__(self) -> str:
        if not self:
            return "<no values>"
        return "\n".join([number_of(self), *rows_below(list(map(repr, self[:FEW])), len(self), FEW)])

    def _repr_html_(self) -> str:
        return f"{self.frame().head(SHOWN).to_html()}<p>{min(SHOWN, len(self))} of {len(self)} rows</p>"


@readable
class Graph:
    """The graph of a workspace.

    - query it: ``query``, ``cypher``
    - read it: ``triplets``, ``candidates``
    - save it: ``backup``, ``restore``
    - ``engine``: keep the embedded engine running for other tools

    >>> work.graph.cypher("MATCH (s:Sample) RETURN count(s) AS samples")["samples"][0] == len(work.samples())
    np.True_
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def cypher(
        self,
        text: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float = 60,
        **more: Any,
    ) -> "pd.DataFrame":
        """Run a Cypher query and return a DataFrame. A query that would write is refused (InputError).

        Give parameters as keyword arguments or in ``parameters``. ``limit`` is the maximum number of rows, ``timeout``
        the maximum number of seconds.

        >>> work.graph.cypher("MATCH (q:Question {hop: $hop}) RETURN count(q) AS questions", hop=1)["questions"][0] > 0
        np.True_
        """
        values = {**(parameters or {}), **more}
        return _frame(self._ask(lambda: self._access.store.query_text(text, values, limit=limit, timeout=timeout)))

    def query(
        self, name: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, **more: Any
    ) -> "pd.DataFrame":
        """Run a named query and return a DataFrame. Raises InputError for an unknown name.

        ``kbe query`` lists the names.

        >>> list(work.graph.query("samples_by_status").columns)
        ['benchmark', 'split', 'status', 'samples']
        """
        values = {**(parameters or {}), **more}
        return _frame(self._ask(lambda: self._access.store.query(name, values, limit=limit)))

    def triplets(self, sample: str | None = None, *, run: str | None = None) -> Values[SampleTriplet]:
        """List the triplets of one sample or of all samples, and those that a ``run`` explored.

        >>> {place.triplet.graph for place in work.graph.triplets("demo/demo/107438-vehicle")} >= {"visual"}
        True
        """
        return Values([*triplets_of(self._access.store, sample, run)], TRIPLET)

    def candidates(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = None
    ) -> Values["CandidateRow"]:
        """List the candidates for questions. ``status`` is kept, not drawn or dropped (then with a reason).

        >>> work.graph.candidates(run="demo", hop=1, status="kept")[0].relation != ""
        True
        """
        return Values(self._access.store.candidates(run=run, hop=hop, status=status), CANDIDATE)

    def backup(self, file: Path | str, *, replace: bool = False) -> "Backup":
        """Write the whole graph to a file that any engine can restore.

        A file that is there and is no backup is replaced only if ``replace`` is set. Raises InputError.

        >>> work.graph.backup(folder / "graph.gz").nodes > 0
        True
        """
        from kbe_graph.store.backup import is_backup

        require_own(Path(file), lambda _: is_backup(Path(file)), replace=replace)
        store = self._access.store
        with self._access.reporter as reporter:
            return store.backup(Path(file), progress=reporter)

    def restore(self, file: Path | str, *, replace: bool = False) -> "Backup":
        """Restore the graph from a backup file, into an empty graph unless ``replace`` is set. Raises InputError.

        After an interruption, repeat the call with ``replace``.

        >>> work.graph.restore(folder / "graph.gz", replace=True).edges > 0
        True
        """
        with self._access.reporter as reporter:
            return self._access.graph.restore(Path(file), replace=replace, progress=reporter)

    @property
    def engine(self) -> "KeptEngine":
        """The embedded engine; start it to use the graph from other tools such as cypher-shell."""
        return KeptEngine(self._access.folder, self._access.address)

    def _ask(self, ask: Callable[[], Table]) -> Table:
        try:
            return ask()
        except (StatementTimeout, KeyboardInterrupt):
            self._access.graph.close()
            raise


class KeptEngine:
    """Starts, stops and locates the embedded engine of a workspace. Raises ConfigError if the graph is on a server."""

    def __init__(self, folder: Folder, server: Address | None) -> None:
        self._folder, self._server = folder, server

    def start(self, *, port: int = 0) -> Address:
        """Start the engine on the given or a free port, keep it running, and return its address."""
        return engine.start(self._own().hidden, port=port)

    def stop(self) -> bool:
        """Stop the engine, whether it was started or is still warm. Returns False if none is running."""
        return engine.stop(self._own().hidden)

    def address(self) -> Address:
        """Get the address of the server or of the started engine. Raises ConfigError if there is none.

        ``of_reader`` of the address is the read-only login.
        """
        address = self._server or engine.url(self._folder.hidden)
        if address is None:
            raise ConfigError("no engine was started; start one first (`start`)")
        return address

    def studio(self) -> str | None:
        """Get the address of the page on which the started engine shows the graph in a browser; None without one."""
        record = None if self._server else running(self._folder.hidden)
        return f"http://127.0.0.1:{record.http_port}" if record and record.kept_up and record.http_port else None

    def _own(self) -> Folder:
        if self._server is not None:
            raise ConfigError(
                f"the graph is the Neo4j server at {self._server.uri!r}; unset NEO4J_URI to use the embedded engine"
            )
        return self._folder


def _frame(table: Table) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(list(table.rows), columns=list(table.columns)).convert_dtypes()


def sample_story(access: GraphAccess, id_: str, *, run: str | None, status: str | None) -> "SampleStory":
    """Gather a sample, by its id or that of one of its questions, with its questions; raises InputError."""
    from kbe_graph.show.sample_story import SampleStory

    name, store = sample_of_question(id_), access.store
    store.require_run(run)
    sample = require_sample(store, name)
    own = store.questions(samples=[name], status=status)
    questions = [*own, *store.twins_of([question.id for question in own])]
    chain = sorted(
        (question for question in questions if question.run in {RAW, run or question.run}),
        key=lambda question: (question.run != RAW, question.run, question.hop),
    )
    pictures = access.folder.images().of(sample)
    state = None if status else store.sample_status([name])[name]
    return SampleStory(
        sample,
        tuple(chain),
        pictures,
        state,
        tuple(store.inspections(sample=name)),
        guesses=tuple(guess for guess in store.guesses(samples=[name]) if guess.run == (run or guess.run)),
        alternatives=store.alternatives([question.id for question in chain]),
    )


def triplets_of(store: Store, sample: str | None, run: str | None) -> Iterator[SampleTriplet]:
    """Give the triplets of a sample or of all, then those that a run explored; raises InputError for its name."""
    store.require_run(run)
    ids = store.sample_ids(status="extracted") if sample is None else [sample]
    for id_, graph in store.graphs(ids).items():
        for triplet in (*graph.visual, *graph.textual):
            yield SampleTriplet(id_, triplet, triplet in graph.key)
    for question in [] if run is None else store.questions(run=run, samples=ids):
        if question.kind == "explored":
            yield SampleTriplet(question.sample, question.key[-1], key=True, run=question.run, hop=question.hop)


def require_sample(store: Store, name: str) -> Sample:
    """Read the sample of an id; raises InputError, which names the nearest ids."""
    for sample in store.samples(ids=[name]):
        return sample
    ids = [id_ for status in STATES for id_ in store.sample_ids(status=status)]
    near = get_close_matches(name, ids, 3) or ids[:3]
    raise InputError(f"no sample {name!r}; " + (f"there are {', '.join(near)}, ..." if ids else "none is loaded"))


def asked_questions(
    access: GraphAccess,
    run: str | None,
    benchmark: str | None = None,
    hops: str | None = None,
    *,
    sample: int | None = None,
) -> list[tuple[Sample, Question]]:
    """Read the raw questions and those of a run; ``sample`` is how many samples are drawn. Raises InputError."""
    from kbe_graph.evaluate.prompting import read_hops
    from kbe_graph.export.selection import require_hops, select

    wanted = read_hops(hops) if hops else None
    with access.reporter.waiting("reading the questions"):
        pairs = list(select(access.store, run=run, benchmark=benchmark, loaded=True))
    if wanted is not None:
        require_hops(wanted, (question for _, question in pairs))
        pairs = [(sample, question) for sample, question in pairs if question.hop in wanted]
    if sample is None:
        return pairs
    drawn = set(draw_ids({each.id for each, _ in pairs}, sample, 0))
    return [(each, question) for each, question in pairs if each.id in drawn]
