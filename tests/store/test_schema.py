"""The schema of the graph by version, on every engine."""

from pathlib import Path

import pytest
from specimens import SAMPLE, dump, family

from kbe_graph.errors import StoreError
from kbe_graph.store import Store
from kbe_graph.store.statements import VERSION, prepare, record_version, schema_version


def test_a_new_graph_gets_the_schema_and_an_older_one_is_migrated(full: Store) -> None:
    connection = full.connection
    assert schema_version(connection) == VERSION
    connection.alone("DROP CONSTRAINT candidate_id")
    record_version(connection, 1)
    names = "SHOW CONSTRAINTS YIELD name RETURN name"
    assert "candidate_id" not in [row["name"] for row in connection.read_text(names)]
    once = [line for line in dump(full) if '"Schema"' not in line]
    prepare(connection)
    assert schema_version(connection) == VERSION
    assert "candidate_id" in [row["name"] for row in connection.read_text(names)]
    assert once == [line for line in dump(full) if '"Schema"' not in line]
    assert full.questions(run="first") == [family().question]


def test_a_newer_graph_is_refused(full: Store) -> None:
    record_version(full.connection, VERSION + 1)
    with pytest.raises(StoreError, match=f"knows {VERSION}; use a newer kbe-graph, or another"):
        prepare(full.connection)
    record_version(full.connection, VERSION)


def test_a_version_that_is_none_is_told_and_a_backup_mends_it(full: Store, tmp_path: Path) -> None:
    once = dump(full)
    full.backup(tmp_path / "graph.kbe")
    for version in ("0", "-1", "'x'", "null", "1.5"):
        full.connection.alone(f"MATCH (s:Schema) SET s.version = {version}")
        with pytest.raises(StoreError, match=r"is damaged: the record of its schema has version .*; restore a backup"):
            prepare(full.connection)
    full.restore(tmp_path / "graph.kbe", replace=True)
    assert once == dump(full)


def test_foreign_data_are_left_alone(full: Store, tmp_path: Path) -> None:
    full.backup(tmp_path / "graph.kbe")
    full.connection.write(lambda transaction: transaction.run_text("MATCH (n:Schema) DETACH DELETE n"))
    once = dump(full)
    for use in (lambda: prepare(full.connection), lambda: full.restore(tmp_path / "graph.kbe", replace=True)):
        with pytest.raises(
            StoreError, match=r"contains other data .*; give kbe a separate database with NEO4J_DATABASE"
        ):
            use()
    assert once == dump(full)
    record_version(full.connection, VERSION)
    assert full.samples(ids=[SAMPLE.id])
