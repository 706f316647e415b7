"""The import of Neo4j's driver, which takes half a second less without the libraries of tables that it can do with."""

import sys
from importlib import import_module
from types import ModuleType

TABLES = ("numpy", "pandas", "pyarrow")
COMMAND = "kbe_graph.cli.main"


def import_driver(*, is_ours: bool = False) -> None:
    """Import the driver; in a process of ours, a command or a worker, without its tables, for which there is no use.

    In a program of somebody else the driver is imported as it comes, since that program may use it too.
    """
    if "neo4j" in sys.modules or not (is_ours or COMMAND in sys.modules):
        return
    hidden = [name for name in TABLES if name not in sys.modules]
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules.update(dict.fromkeys(hidden))  # None: the import of such a module fails, as if it were not there
    try:
        import_module("neo4j")
    finally:
        for name in hidden:
            del sys.modules[name]
