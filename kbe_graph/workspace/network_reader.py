"""The graphs of samples as networkx and py2neo have them, and the graph in the formats of other tools."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.workspace.graph_formats import GraphExport, GraphSource, graph_format
from kbe_graph.workspace.networks import network, subgraph
from kbe_graph.workspace.sample_reader import SampleReader
from kbe_graph.workspace.values import SampleTriplet, Values

if TYPE_CHECKING:
    import networkx as nx


class NetworkReader(SampleReader):
    """The part of a workspace that gives triplets as a network, and exports the graph."""

    def graph(self, sample: str, *, run: str | None = None) -> "nx.MultiDiGraph":
        """Return a sample's triplets as a networkx graph, with a run also those that it explored.

        A node is an entity; an edge a triplet with its ``relation``, ``graph`` (visual or textual), source, and
        ``hop``.

        >>> "image" in work.graph("demo/demo/107438-vehicle")
        True
        """
        return network(self.triplets(sample, run=run))

    def subgraph(self, sample: str, *, run: str | None = None) -> Any:
        """Return a sample's triplets as a ``py2neo.Subgraph``, to look at and not to write (``kbe-graph[py2neo]``).

        Raises ResourceError where py2neo is not installed.

        >>> len(work.subgraph("demo/demo/107438-vehicle").nodes) > 0  # doctest: +SKIP
        True
        """
        return subgraph(self._known_triplets(sample, run))

    def export_graph(
        self,
        to: Path | str,
        *,
        format: str | None = None,  # noqa: A002 - the option's name
        sample: str | None = None,
        run: str | None = None,
    ) -> GraphExport:
        """Write the graph for other engines and tools, as ``format`` or as the file's suffix says.

        ``csv`` is a folder with the whole graph, for ``neo4j-admin database import``; the command is returned, and
        stands in the README beside the files. ``graphml`` (.graphml) and ``turtle`` (.ttl) hold the triplets of a
        sample, or of all, with a run also those that it explored. Raises InputError.

        >>> work.export_graph(folder / "demo.graphml", sample="demo/demo/107438-vehicle").format
        'graphml'
        >>> work.export_graph(folder / "demo.ttl", run="demo").edges > work.export_graph(folder / "own.ttl").edges
        True
        >>> print(work.export_graph(folder / "import").command)
        neo4j-admin database import full neo4j ...
        """
        chosen = graph_format(format, Path(to), is_part=bool(sample or run))
        store = self.store
        with self.reporter as reporter:
            return chosen.write(Path(to), GraphSource(store, partial(self._known_triplets, sample, run), reporter))

    def _known_triplets(self, sample: str | None, run: str | None) -> Values[SampleTriplet]:
        if sample is not None:
            self._require_sample(sample)
        return self.triplets(sample, run=run)
