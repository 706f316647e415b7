"""The triplets of samples in the shapes of other libraries and formats: networkx, py2neo, GraphML, Turtle."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.workspace.networks import network, subgraph, write_graphml
from kbe_graph.workspace.sample_reader import SampleReader
from kbe_graph.workspace.turtle import write_turtle
from kbe_graph.workspace.values import SampleTriplet, Values

if TYPE_CHECKING:
    import networkx as nx


class NetworkReader(SampleReader):
    """The part of a workspace that gives triplets as a network, or writes them as one."""

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

    def graphml(self, file: Path | str, *, sample: str | None = None, run: str | None = None) -> int:
        """Write the triplets of a sample, or of all, as GraphML, with a run also those that it explored.

        Returns how many triplets these are. Raises InputError.

        >>> work.graphml(folder / "demo.graphml", sample="demo/demo/107438-vehicle") > 0
        True
        """
        triplets = self._known_triplets(sample, run)
        write_graphml(Path(file), triplets)
        return len(triplets)

    def turtle(self, file: Path | str, *, sample: str | None = None, run: str | None = None) -> int:
        """Write the triplets of a sample, or of all, as RDF in Turtle, each with its source, as ``graphml`` does.

        Returns how many triplets these are. Raises InputError.

        >>> work.turtle(folder / "demo.ttl", run="demo") > work.turtle(folder / "demo.ttl")
        True
        """
        triplets = self._known_triplets(sample, run)
        write_turtle(Path(file), triplets)
        return len(triplets)

    def _known_triplets(self, sample: str | None, run: str | None) -> Values[SampleTriplet]:
        if sample is not None:
            self._require_sample(sample)
        return self.triplets(sample, run=run)
