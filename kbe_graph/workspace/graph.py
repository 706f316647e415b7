"""``work.graph``: the graph queried, copied, and given to other programs."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import ConfigError, InputError
from kbe_graph.extras import require_extra
from kbe_graph.files.whole import replacing
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess, require_other_graph
from kbe_graph.store import Address, Store, Table, engine, open_store
from kbe_graph.store.engine import running
from kbe_graph.store.faults import StatementTimeout
from kbe_graph.store.nodes import entity_id
from kbe_graph.types import Entity
from kbe_graph.workspace.sample_lookup import require_sample, triplets_of
from kbe_graph.workspace.values import CANDIDATE, TRIPLET, SampleTriplet, Values

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from kbe_graph.store.backup import Backup
    from kbe_graph.store.nodes import StoredCandidate


Properties = dict[str, str | int | bool]
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


class GraphExport(NamedTuple):
    """The size of an exported graph."""

    nodes: int
    edges: int


class Graph:
    """The graph of a workspace.

    - query it: ``query``, ``cypher``
    - read it: ``triplets``, ``candidates``
    - use it in other tools: ``export`` (GraphML), ``network`` (networkx)
    - save and copy it: ``backup``, ``restore``, ``copy_to``, ``copy_from``
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
    ) -> Values["StoredCandidate"]:
        """List the candidates for questions. ``status`` is kept, not drawn or dropped (then with a reason).

        >>> work.graph.candidates(run="demo", hop=1, status="kept")[0].relation != ""
        True
        """
        return Values(self._access.store.candidates(run=run, hop=hop, status=status), CANDIDATE)

    def network(self, sample: str, *, run: str | None = None) -> "nx.MultiDiGraph":
        """Build a networkx graph of the triplets of a sample, and of those that a ``run`` explored.

        A node is an entity. An edge is a triplet with its ``relation``, ``graph`` (visual or textual), source, and
        ``hop``.

        >>> "image" in work.graph.network("demo/demo/107438-vehicle")
        True
        """
        return network([*triplets_of(self._access.store, sample, run)])

    def export(self, to: Path | str, *, sample: str | None = None, run: str | None = None) -> GraphExport:
        """Write the triplets of one sample or of all samples as GraphML, and those that a ``run`` explored.

        Raises InputError.

        >>> work.graph.export(folder / "demo.graphml", sample="demo/demo/107438-vehicle").edges > 0
        True
        """
        return write_graphml(Path(to), self._known_triplets(sample, run))

    def backup(self, file: Path | str) -> "Backup":
        """Write the whole graph to a file that any engine can restore.

        >>> work.graph.backup(folder / "graph.gz").nodes > 0
        True
        """
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

    def copy_to(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the whole graph to a server, into an empty database unless ``replace`` is set. Raises InputError.

        >>> work.graph.copy_to(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        require_other_graph(self._access.address, address)
        source, hidden = self._access.store, self._access.folder.hidden
        with self._access.reporter as reporter, open_store(hidden, address, restoring=True) as target:
            return self._copy(source, partial(target.restore, replace=replace, progress=reporter))

    def copy_from(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the graph of a server into this one, which must be empty unless ``replace`` is set. Raises InputError.

        >>> work.graph.copy_from(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        require_other_graph(self._access.address, address)
        with self._access.reporter as reporter, open_store(self._access.folder.hidden, address) as source:
            return self._copy(source, partial(self._access.graph.restore, replace=replace, progress=reporter))

    @property
    def engine(self) -> "KeptEngine":
        """The embedded engine; start it to use the graph from other tools such as cypher-shell."""
        return KeptEngine(self._access.folder, self._access.address)

    def _copy(self, source: Store, restore: Callable[[Path], "Backup"]) -> "Backup":
        with TemporaryDirectory(prefix=".copy.", dir=self._access.folder.hidden) as place:
            file = Path(place) / "graph.kbe"
            if not source.backup(file, progress=self._access.reporter).nodes:
                raise InputError(f"{source.connection.place.graph} is empty; there is nothing to copy")
            return restore(file)

    def _known_triplets(self, sample: str | None, run: str | None) -> Values[SampleTriplet]:
        if sample is not None:
            require_sample(self._access.store, sample)
        return self.triplets(sample, run=run)

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


def network(triplets: Sequence[SampleTriplet]) -> "nx.MultiDiGraph":
    """Return the triplets of one sample as a graph.

    A node is an entity's key, with ``name``, ``noun`` and ``concept``; an edge a triplet, with ``relation``, ``graph``,
    ``source``, ``source_ref``, ``evidence``, ``key_path``, ``run`` and ``hop``.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for place in triplets:
        subject, object_ = place.triplet.subject, place.triplet.object
        for entity in (subject, object_):
            graph.add_node(entity.key, **_node(entity))
        graph.add_edge(subject.key, object_.key, **_edge(place))
    return graph


def write_graphml(file: Path, triplets: Sequence[SampleTriplet]) -> GraphExport:
    """Write the triplets of any samples as GraphML, each sample a part of its own.

    Nodes and edges are those of ``network``, nodes with their ``sample`` too. A sign that XML cannot hold becomes the
    replacement character. Raises InputError.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for number, place in enumerate(triplets, 1):
        ends = [_text(entity_id(place.sample, each)) for each in (place.triplet.subject, place.triplet.object)]
        for id_, entity in zip(ends, (place.triplet.subject, place.triplet.object), strict=True):
            graph.add_node(id_, sample=_text(place.sample), **_plain(_node(entity)))
        graph.add_edge(*ends, key=str(number), **_plain(_edge(place)))
    with replacing(file) as stream:
        nx.write_graphml_xml(graph, stream.buffer)
    return GraphExport(graph.number_of_nodes(), graph.number_of_edges())


def _node(entity: Entity) -> Properties:
    return {"name": entity.label, "noun": entity.noun, "concept": entity.concept}


def _edge(place: SampleTriplet) -> Properties:
    names = ("relation", "graph", "source", "source_ref", "evidence")
    origin: Properties = {name: getattr(place.triplet, name) for name in names}
    return origin | {"key_path": place.key, "run": place.run, "hop": place.hop}


def _plain(properties: Properties) -> Properties:
    return {name: _text(value) if isinstance(value, str) else value for name, value in properties.items()}


def _text(text: str) -> str:
    return _NO_XML.sub(_UNKNOWN, text)
