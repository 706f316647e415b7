"""Address and login of the graph's server, read from the settings, and the server as named in messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.config import Config, graph_parts
from kbe_graph.errors import ConfigError
from kbe_graph.folder import HIDDEN
from kbe_graph.secret import refuse_secrets


@dataclass(frozen=True, slots=True)
class Address:
    """A server address and login, as given by ``NEO4J_URI``, ``_USERNAME``, ``_PASSWORD`` and ``_DATABASE``.

    Without a database, the server's default for the user applies. If ``reader`` is set (``NEO4J_READER_USERNAME`` and
    ``_PASSWORD``), queries log in as that user, who should have read-only rights on the server.
    Raises ConfigError if ``uri`` contains a login.

    >>> kbe.Address("neo4j://localhost:7687", "neo4j", "a password")
    Address(uri='neo4j://localhost:7687', username='neo4j', database=None)
    """

    uri: str
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None
    reader: str = field(default="", repr=False)
    reader_password: str = field(default="", repr=False)

    @property
    def of_reader(self) -> "Address":
        """The same server with the read-only login that queries use, if there is one."""
        return replace(self, username=self.reader, password=self.reader_password) if self.reader else self

    def __post_init__(self) -> None:
        refuse_secrets(self.uri, "the graph's address", "set the login with NEO4J_USERNAME and NEO4J_PASSWORD")


class Place(NamedTuple):
    """The server of a graph as named in messages: by its address, or by the workspace whose embedded engine it is.

    ``engine`` is the folder of the embedded engine's log and files.
    """

    address: Address
    engine: Path | None = None

    @property
    def workspace(self) -> Path | None:
        """The folder of the workspace whose embedded engine it is, if any."""
        return self.engine.parent if self.engine and self.engine.name == HIDDEN else self.engine

    @property
    def graph(self) -> str:
        """The graph, as named in messages."""
        return f"the graph in {str(self.workspace)!r}" if self.workspace else f"the graph at {self.address.uri}"


def graph_address(config: Config, environ: Mapping[str, str]) -> Address | None:
    """Return the Neo4j address from the settings, or None for the embedded engine. Raises ConfigError."""
    uri = graph_parts(config, environ)["uri"]
    return server_address(uri, config, environ) if uri else None


def server_address(uri: str, config: Config, environ: Mapping[str, str]) -> Address:
    """Return the address of the server at ``uri`` with the login from the settings. Raises ConfigError."""
    parts = graph_parts(config, environ)
    username, reader = parts["username"] or "neo4j", parts["reader_username"]
    address = Address(uri, username, parts["password"], parts["database"] or None, reader, parts["reader_password"])
    if not address.password:
        raise ConfigError(
            f"no password for the graph at {uri!r}; looked in {config.file} [graph] password and, if NEO4J_URI names "
            "the address, in environment NEO4J_PASSWORD"
        )
    if reader and not address.reader_password:
        raise ConfigError(f"no password for {reader!r}, the user that queries log in as; set NEO4J_READER_PASSWORD")
    return address
