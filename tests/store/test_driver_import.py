"""The driver comes to a command without libraries of tables, which a command that needs them still has."""

import subprocess
import sys

import pytest

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


@pytest.mark.parametrize("before", ["pass", f"{COMMAND}, pandas, pyarrow", f"{COMMAND}, neo4j"])
def test_the_driver_of_somebody_else_and_what_was_imported_already_stay_as_they_come(before: str) -> None:
    assert ask(before, TABLES) == "True True"


@pytest.mark.parametrize(
    ("imported", "dialled"),
    [(COMMAND, "connect(Address('bolt://127.0.0.1:1'), patience=0.1).__enter__()")],
)
def test_a_command_that_connects_and_a_worker_have_it_without_tables(imported: str, dialled: str) -> None:
    code = f"""
import sys; {imported}
from contextlib import suppress
from kbe_graph.errors import KbeError
from kbe_graph.store.address import Address
from kbe_graph.store.connect import connect
with suppress(KbeError): {dialled}
print('neo4j' in sys.modules); {TABLES}"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["True", "False", "False"]
