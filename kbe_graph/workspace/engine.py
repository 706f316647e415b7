"""The embedded engine of a workspace, kept up so that cypher-shell, a browser and other tools connect."""

from kbe_graph.errors import ConfigError
from kbe_graph.folder import Folder
from kbe_graph.store import Address, embedded
from kbe_graph.store.engine_files import running


class KeptEngine:
    """Starts, stops and locates a workspace's embedded engine; raises ConfigError where the graph is on a server."""

    def __init__(self, folder: Folder, server: Address | None) -> None:
        self._folder, self._server = folder, server

    def start(self, *, port: int = 0) -> Address:
        """Keep the engine up on a port, or a free one, and return its address."""
        return embedded.start(self._own().hidden, port=port)

    def stop(self) -> bool:
        """Stop the engine that is kept up, or still warm; return False if none is."""
        return embedded.stop(self._own().hidden)

    def address(self) -> Address:
        """Return the address of the graph: of the server, or of the engine kept up. Raises ConfigError if none is.

        Its ``of_reader`` is the login that may only read.
        """
        address = self._server or embedded.url(self._folder.hidden)
        if address is None:
            raise ConfigError("no engine is kept up; start one with 'kbe db start'")
        return address

    def studio(self) -> str | None:
        """Return the page where a browser shows the graph, served by the engine kept up; None if none is."""
        record = None if self._server else running(self._folder.hidden)
        return f"http://127.0.0.1:{record.http_port}" if record and record.kept_up and record.http_port else None

    def _own(self) -> Folder:
        if self._server is not None:
            raise ConfigError(
                f"the graph is the Neo4j server at {self._server.uri!r}; unset NEO4J_URI to use the embedded engine"
            )
        return self._folder
