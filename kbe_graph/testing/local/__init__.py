"""A small real model that runs locally, for tests and the demo; it exercises the machinery, not quality."""

from kbe_graph.testing.local.icons import write_mosaics
from kbe_graph.testing.local.server import LocalServer, local_book, local_server

__all__ = ["LocalServer", "local_book", "local_server", "write_mosaics"]
