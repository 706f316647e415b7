"""The part of a workspace that keeps a graph elsewhere too: in a file, on a server, in another workspace."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.store import Address, open_store
from kbe_graph.workspace.engine import KeptEngine
from kbe_graph.workspace.graph_access import GraphAccess

if TYPE_CHECKING:
    from kbe_graph.store.backup import Backup
    from kbe_graph.workspace.merging import Merged


class GraphKeeper(GraphAccess):
    """The part of a workspace that copies whole graphs, to files and servers and from them, and merges workspaces."""

    def backup(self, file: Path | str) -> "Backup":
        """Write the whole graph to a file that any engine can restore.

        >>> work.backup(folder / "graph.gz").nodes > 0
        True
        """
        store = self.store
        with self.reporter as reporter:
            return store.backup(Path(file), progress=reporter)

    def restore(self, file: Path | str, *, replace: bool = False) -> "Backup":
        """Read the graph back from a file: into an empty graph, unless ``replace`` is set. Raises InputError.

        One that was interrupted is done again with ``replace``.

        >>> work.restore(folder / "graph.gz", replace=True).edges > 0
        True
        """
        with self.reporter as reporter:
            return self._graph.restore(Path(file), replace=replace, progress=reporter)

    def copy_to(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the whole graph to a server, into an empty database unless ``replace`` is set. Raises InputError.

        >>> work.copy_to(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        from kbe_graph.workspace.copying import copy_graph, require_other_graph

        require_other_graph(self.address, address)
        source = self.store
        with self.reporter as reporter, open_store(self.folder.hidden, address, restoring=True) as target:
            restore = partial(target.restore, replace=replace, progress=reporter)
            return copy_graph(source, restore, self.folder, reporter)

    def copy_from(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the whole graph of a server here, into an empty graph unless ``replace`` is set. Raises InputError.

        >>> work.copy_from(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        from kbe_graph.workspace.copying import copy_graph, require_other_graph

        require_other_graph(self.address, address)
        with self.reporter as reporter, open_store(self.folder.hidden, address) as source:
            restore = partial(self._graph.restore, replace=replace, progress=reporter)
            return copy_graph(source, restore, self.folder, reporter)

    def merge(self, *others: Path | str) -> "Merged":
        """Take other workspaces in, such as those of other machines, each with a shard of one benchmark.

        What is there stays; a run that waits for shards then goes on. Raises InputError where a workspace holds the
        same sample, question or answer otherwise, or a run with other settings; nothing is written then. A merge that
        was cut off is done again.

        >>> other = kbe.Workspace(folder / "other", progress=False)
        >>> work.merge(other.folder.path)
        Merged(samples=0, questions=0, answers=0, calls=0)
        """
        from kbe_graph.workspace.merging import merge_workspaces

        return merge_workspaces(self, others)

    @property
    def engine(self) -> KeptEngine:
        """The embedded engine, to be kept up for other tools such as cypher-shell."""
        return KeptEngine(self.folder, self.address)
