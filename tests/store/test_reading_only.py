"""No query writes: the engine itself refuses, even where nobody has looked at the text before."""

from contextlib import suppress
from pathlib import Path

import pytest
from specimens import dump, family, load
from writing_attempts import KINDS, generated, sql

from kbe_graph.errors import KbeError
from kbe_graph.store import Store, open_store

SEED, COUNT = 29, 200
FOLDERS = ("backups", "exports")  # where a statement could leave something


def schema_of(store: Store) -> list[str]:
    names = store.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name")
    labels = store.connection.read_text("CALL db.labels() YIELD label RETURN label")
    return sorted(str(value) for row in (*names, *labels) for value in row.values())


@pytest.mark.long
def test_a_function_of_the_engine_that_takes_statements_writes_nothing(tmp_path: Path) -> None:
    """An engine of its own for each, as it was when such a statement destroyed a graph."""
    with open_store(tmp_path) as store:
        load(store)
    for condition in KINDS:
        with open_store(tmp_path) as store:
            before = dump(store), schema_of(store)
            with suppress(KbeError):
                store.query_text(sql(condition), limit=10, timeout=20)
            assert before == (dump(store), schema_of(store)), condition
        assert not [path for name in FOLDERS for path in (tmp_path / "graph" / name).rglob("*")]


@pytest.mark.long
def test_what_is_hidden_is_not_written_by_the_engine_itself(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    before, schema = dump(store), schema_of(store)
    texts = generated(SEED, COUNT)
    for some in (texts[place : place + 20] for place in range(0, COUNT, 20)):  # to read the graph takes longest
        for text in some:
            with suppress(KbeError):
                store.query_text(text, limit=10, timeout=10)
        assert before == dump(store), some
    assert schema == schema_of(store)
