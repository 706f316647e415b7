"""The driver comes to a command without libraries of tables, which a command that needs them still has."""

import subprocess
import sys

ASK = "import sys; {}; from kbe_graph.store.connection import import_driver; import_driver(); import neo4j; {}"
COMMAND = "import kbe_graph.cli.main"
TABLES = "print('pandas' in sys.modules, 'pyarrow' in sys.modules)"


def ask(before: str, after: str) -> str:
    """Return what a new process prints that did something before it imported the driver, and something after it."""
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(before, after)], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


def test_a_command_has_the_driver_without_tables_and_can_still_import_them() -> None:
    assert (
        ask(COMMAND, f"{TABLES}; import pandas, pyarrow.compute; print(pandas.Series([1]).sum())") == "False False\n1"
    )
