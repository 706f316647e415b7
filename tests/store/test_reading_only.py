"""No query writes: the engine itself refuses, even where nobody has looked at the text before."""

from contextlib import suppress
from pathlib import Path

import pytest
from engines import Engine
from specimens import dump, family, load
from writing_attempts import ENGINE_STATEMENTS, KINDS, generated, sql

from kbe_graph.errors import InputError, KbeError
from kbe_graph.store import Store, open_store, user_query
from kbe_graph.store.guard import reading, refuse_writing
from kbe_graph.store.statements import queries

SEED, COUNT = 29, 200
OF_THE_GRAMMAR = {"allshortestpaths", "shortestpath"}  # and so on no list of functions


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


def test_what_is_hidden_is_refused_before_it_is_sent() -> None:
    for text in (*ENGINE_STATEMENTS, *generated(SEED, COUNT)):
        with pytest.raises(InputError, match=r"the query is refused for "):
            refuse_writing(text)


def test_a_query_is_asked_as_a_user_who_may_only_read(embedded_store: Store) -> None:
    with embedded_store.connection.query_login.dial() as driver, pytest.raises(Exception, match="not allowed") as seen:
        driver.execute_query("CREATE (:Sample {id: 'evil'})", database_=embedded_store.connection.place.database)
    assert "Forbidden" in str(seen.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("RETURN sql.eval('1 = 1')", "sql.eval(...)"),
        ("RETURN `sql`.`eval`('1 = 1')", "sql.eval(...)"),
        ("RETURN sql /* */ . // x\n eval ('1 = 1')", "sql.eval(...)"),
        ("WITH 'x' AS a RETURN a.eval('y')", "a.eval(...)"),
        ("RETURN 'x'.eval('y')", ".eval(...)"),
        ("RETURN `where`(1)", "where(...)"),
        ("RETURN [x IN [1] WHERE apoc.create.uuid() = x]", "apoc.create.uuid(...)"),
        ("CALL apoc.util.sleep(1)", "CALL apoc.util.sleep"),
        ("CALL { OPTIONAL CALL `apoc`.util.sleep(1) RETURN 1 AS x } RETURN x", "CALL apoc.util.sleep"),
        ("RETURN 1 AS x /* open", "/"),
        ("RETURN 'open AS x", "'"),
        ("RETURN 1e5CREATE (:Evil)", "1e5CREATE"),
    ],
)
def test_what_is_on_no_list_is_refused_by_name(text: str, found: str) -> None:
    with pytest.raises(InputError) as seen:
        refuse_writing(text)
    assert f"is refused for {found!r}" in str(seen.value)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) WHERE (n.x) = 1 AND (n.y) IN (1) OR NOT (n.z) RETURN DISTINCT (n.x)",
        "MATCH p = shortestPath((a)-[*..3]-(b)) RETURN [x IN nodes(p) WHERE x.start > (2) | x.set]",
        "MATCH ANY SHORTEST (a)-->+(b) RETURN count(*)",
        "MATCH (start)-[:SET|MERGE]->(stop:Create) RETURN start, stop, $delete, {`set`: 1} ORDER BY (start.id)",
        "RETURN CASE WHEN (1 = 2) THEN (1) ELSE (0x1F + 1.5e-3 + 1_000 + 1e5) END AS x",
        "RETURN point.distance(point({x: 1, y: 2}), point({x: 1, y: 3})) AS `sql.eval(`",
        "CALL db.labels() YIELD label RETURN label",
        "CALL (n) { MATCH (n) RETURN 1 AS x } RETURN x",
        "PROFILE MATCH (n) RETURN n",
    ],
)
def test_what_reads_is_let_through(text: str) -> None:
    assert refuse_writing(text) == text


def test_the_named_statements_pass_the_guard_too() -> None:
    assert all(refuse_writing(statement.text) for statement in queries())


def test_the_functions_that_are_let_through_are_those_of_the_servers_themselves(engine: Engine, store: Store) -> None:
    if engine.name == "embedded":
        pytest.skip("the embedded engine lists no functions")
    own = store.connection.read_text("SHOW BUILT IN FUNCTIONS YIELD name RETURN toLower(name) AS name")
    procedures = store.connection.read_text("SHOW PROCEDURES YIELD name, mode RETURN toLower(name) AS name, mode")
    of_others = store.connection.read_text("SHOW USER DEFINED FUNCTIONS YIELD name RETURN toLower(name) AS name")
    assert reading("function").isdisjoint(row["name"] for row in of_others)
    if engine.name == "2026":
        assert {row["name"] for row in own} >= reading("function") - OF_THE_GRAMMAR
    assert {"READ", "DBMS"} >= {row["mode"] for row in procedures if row["name"] in reading("procedure")}
    assert {row["name"] for row in procedures} >= reading("procedure")
