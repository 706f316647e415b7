"""No query writes: the engine itself refuses, even where nobody has looked at the text before."""

from contextlib import suppress
from pathlib import Path

import pytest
from engines import Engine
from specimens import dump, family, load
from writing_attempts import ENGINE_STATEMENTS, KINDS, generated, sql

from kbe_graph.errors import InputError, KbeError
from kbe_graph.store import Store, open_store, user_query
from kbe_graph.store.statements import queries
from kbe_graph.store.user_query import PROCEDURES, refuse_writing

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
    """An engine of its own for each, asked past the guard, as it was when such a statement destroyed a graph."""
    with open_store(tmp_path) as store:
        load(store)
    for condition in KINDS:
        with open_store(tmp_path) as store:
            before = dump(store), schema_of(store)
            with suppress(KbeError):
                user_query._ask(store.connection, user_query.Asked(sql(condition), {}, 10, 20))
            assert before == (dump(store), schema_of(store)), condition
        assert files_of(tmp_path) == []


@pytest.mark.long
def test_what_is_hidden_is_not_written_by_the_engine_itself(store: Store) -> None:
    """Past the guard: each engine alone leaves the graph as it was."""
    load(store)
    store.save_questions([family()])
    before, schema = dump(store), schema_of(store)
    texts = generated(SEED, COUNT)
    for some in (texts[place : place + 20] for place in range(0, COUNT, 20)):  # to read the graph takes longest
        for text in some:
            with suppress(KbeError):
                user_query._ask(store.connection, user_query.Asked(text, {}, 10, 10))
        assert before == dump(store), some
    assert schema == schema_of(store)


def test_a_query_is_asked_as_a_user_who_may_only_read(embedded_store: Store) -> None:
    with embedded_store.connection.query_login.dial() as driver, pytest.raises(Exception, match="not allowed") as seen:
        driver.execute_query("CREATE (:Sample {id: 'evil'})", database_=embedded_store.connection.place.database)
    assert "Forbidden" in str(seen.value)


def test_a_call_that_is_not_known_to_read_is_refused_by_name() -> None:
    for text, found in (
        ("RETURN sql.eval('1 = 1')", "sql.eval("),
        ("RETURN `sql`.`eval`('1 = 1')", "sql.eval("),
        ("RETURN sql /* */ . // x\n eval ('1 = 1')", "eval ("),
        ("WITH 'x' AS a RETURN a.eval('y')", "a.eval("),
        ("RETURN 'x'.eval('y')", ".eval("),
        ("RETURN [x IN [1] WHERE apoc.create.uuid() = x]", "apoc.create.uuid("),
        ("CALL apoc.util.sleep(1)", "CALL apoc.util.sleep"),
        ("CALL/**/dbms.setConfigValue('a', 'b')", "CALL dbms.setconfigvalue"),
        ("CALL { OPTIONAL CALL `apoc`.util.sleep(1) RETURN 1 AS x } RETURN x", "CALL apoc.util.sleep"),
        ("SHOW TRANSACTIONS", "SHOW TRANSACTIONS"),
        ("\\u0043REATE (:Evil)", "u"),
        *((text, "sql.eval(") for text in ENGINE_STATEMENTS),
    ):
        with pytest.raises(InputError, match="the query is refused for ") as seen:
            refuse_writing(text)
        assert found in str(seen.value), text


def test_what_reads_is_let_through() -> None:
    for text in (
        "MATCH (n) WHERE (n.x) = 1 AND (n.y) IN (1) OR NOT (n.z) RETURN DISTINCT (n.x), n.call AS x",
        "MATCH p = shortestPath((a)-[*..3]-(b)) RETURN [x IN nodes(p) WHERE x.start > (2) | x.set]",
        "MATCH ANY SHORTEST (a)-->+(b) RETURN count(*), 'sql.eval(1)' // sql.eval(1)",
        "MATCH (start)-[:SET|MERGE]->(stop:Create) RETURN start, stop, $delete, {`set`: 1} ORDER BY (start.id)",
        "RETURN CASE WHEN (1 = 2) THEN (1) ELSE (0x1F + 1.5e-3 + 1_000 + 1e5) END AS x",
        "RETURN point.distance(point({x: 1, y: 2}), point({x: 1, y: 3})) AS x",
        "CALL db.labels() YIELD label RETURN label",
        "CALL (n) { MATCH (n) RETURN 1 AS x } RETURN x",
    ):
        assert refuse_writing(text) == text


def test_the_named_statements_pass_the_guard_too() -> None:
    assert all(refuse_writing(statement.text) for statement in queries())


def test_the_procedures_that_are_let_through_only_read(engine: Engine, store: Store) -> None:
    if engine.name == "embedded":
        pytest.skip("the embedded engine lists no procedures")
    procedures = store.connection.read_text("SHOW PROCEDURES YIELD name, mode RETURN toLower(name) AS name, mode")
    assert {"READ", "DBMS"} >= {row["mode"] for row in procedures if row["name"] in PROCEDURES}
    assert {row["name"] for row in procedures} >= PROCEDURES
