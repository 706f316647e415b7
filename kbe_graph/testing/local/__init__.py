"""A real small model on this machine: for tests and the demo; it shows that the machinery works, not quality."""

from kbe_graph.testing.local.icons import write_mosaics
from kbe_graph.testing.local.server import LocalServer, local_book, local_server

__all__ = ["LocalServer", "local_book", "local_server", "write_mosaics"]
