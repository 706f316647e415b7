"""The folder and the graph of a workspace, opened at the first need."""

from kbe_graph.folder import Folder
from kbe_graph.store import Address, Store
from kbe_graph.workspace.open_graph import OpenGraph
from kbe_graph.workspace.progress import Reporter


class GraphAccess:
    """The part of a workspace that all others go through: its folder, its graph, where that is, who is told."""

    folder: Folder
    address: Address | None
    reporter: Reporter
    _graph: OpenGraph

    @property
    def store(self) -> Store:
        """The open graph itself, for what the methods here do not give."""
        if self._graph.is_open:
            return self._graph.store
        with self.reporter.waiting("opening the graph"):
            store = self._graph.store
        if seconds := self._graph.started_for:
            self.reporter.note(f"the graph's engine stays up for the next {seconds:g} seconds; 'kbe db stop' ends it")
        return store

    def _make_ready_for(self, samples: int) -> None:
        """Let the engine of the graph be one for work on so many samples; ``store`` is another one then."""
        self._graph.make_ready_for(samples)
