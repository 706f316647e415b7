"""A small real model that runs locally, for tests and the demo; it exercises the machinery, not quality."""

from local_model.icons import write_mosaics
from local_model.server import LocalServer, local_book, local_server

__all__ = ["LocalServer", "local_book", "local_server", "write_mosaics"]
