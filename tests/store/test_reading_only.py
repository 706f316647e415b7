"""No query writes: the engine itself refuses, even where nobody has looked at the text before."""

from contextlib import suppress
from pathlib import Path

import pytest
from specimens import dump, family, load
from writing_attempts import KINDS, generated, sql

from kbe_graph.errors import KbeError
from kbe_graph.store import Store, open_store

SEED, COUNT = 29, 200


def files_of(folder: Path) -> list[Path]:
    """The folders of an engine where a statement could leave something, such as a backup."""
    return [path for name in ("backups", "exports") for path in (folder / "graph" / name).rglob("*")]


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
        assert files_of(tmp_path) == []


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


def test_a_query_is_asked_as_a_user_who_may_only_read(embedded_store: Store) -> None:
    with embedded_store.connection.dial_reader() as driver, pytest.raises(Exception, match="not allowed") as seen:
        driver.execute_query(
            "CREATE (:Sample {id: 'evil'})", database_=embedded_store.connection.place.address.database
        )
    assert "Forbidden" in str(seen.value)
