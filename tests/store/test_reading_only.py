"""No query writes through a function of the embedded engine that takes statements of its own."""

from contextlib import suppress
from pathlib import Path

import pytest
from specimens import dump, load

from kbe_graph.errors import KbeError
from kbe_graph.store import Store, open_store

# records, the schema, functions, files: each once destroyed a graph
CONDITIONS = (
    "(DELETE FROM Sample) IS NOT NULL AND (COMMIT) IS NOT NULL",
    "(INSERT INTO Sample SET id = 'evil') IS NOT NULL AND (COMMIT) IS NOT NULL",
    "(COMMIT) IS NOT NULL AND (DROP TYPE Candidate UNSAFE) IS NOT NULL",
    '(DEFINE FUNCTION evil.x "return 1" LANGUAGE js) IS NOT NULL',
    "(BACKUP DATABASE) IS NOT NULL",
)
FOLDERS = ("backups", "exports")  # where a statement could leave something


def schema_of(store: Store) -> list[str]:
    names = store.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name")
    labels = store.connection.read_text("CALL db.labels() YIELD label RETURN label")
    return sorted(str(value) for row in (*names, *labels) for value in row.values())


@pytest.mark.long
def test_a_function_of_the_engine_that_takes_statements_writes_nothing(tmp_path: Path) -> None:
    """An engine of its own for each, which keeps the first condition that it is given."""
    with open_store(tmp_path) as store:
        load(store)
    for condition in CONDITIONS:
        with open_store(tmp_path) as store:
            before = dump(store), schema_of(store)
            with suppress(KbeError):
                store.query_text(f"RETURN sql.eval({condition!r}) AS x", limit=10, timeout=20)
            assert before == (dump(store), schema_of(store)), condition
        assert not [path for name in FOLDERS for path in (tmp_path / "graph" / name).rglob("*")]
