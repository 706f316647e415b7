"""Cypher of a user's own: it reads, and cannot write on any engine."""

import time
from contextlib import suppress

import pytest
from engines import Engine
from specimens import SAMPLE, dump, family, load

from kbe_graph.errors import KbeError, StoreError
from kbe_graph.store import Store
from kbe_graph.store.faults import StatementTimeout

LONG = "UNWIND range(1, 30000) AS x UNWIND range(1, 30000) AS y WITH x, y"
NEVER = f"{LONG} WHERE x * y % 7 = 8 RETURN count(*) AS none"
READING = (
    ("RETURN 1 AS one", ((1,),)),
    ("RETURN 'CREATE (n)' AS text; ", (("CREATE (n)",),)),
    ('RETURN "it\'s // no comment" AS text', (("it's // no comment",),)),
    ("MATCH (n:Sample) // the samples' ids; CREATE\nRETURN n.id AS id ORDER BY id LIMIT 1", ((SAMPLE.id,),)),
    ("MATCH (n:Sample /* SET */) RETURN count(n) AS `set`", ((2,),)),
    ("match (n:Entity {name: 'IMAGE'}) return count(n) as images", ((2,),)),
    ("UNWIND [1, 2] AS x WITH x WHERE x > 1 RETURN x", ((2,),)),
    ("CALL () { MATCH (n:Sample) RETURN n.id AS id } RETURN count(id) AS ids", ((2,),)),
    ("CALL db.labels() YIELD label WITH label WHERE label = 'Sample' RETURN label", (("Sample",),)),
    ("OPTIONAL MATCH (n:Nothing) RETURN n.set AS x", ((None,),)),
)
WRITING = (
    "CREATE (:Evil)",
    "create (:Evil)",
    "MATCH (n:Sample) SET n.question = 'gone'",
    "MATCH (n:Sample) REMOVE n.question",
    "MATCH (n:Sample) DETACH DELETE n",
    "MATCH (n:Sample) NODETACH DELETE n",
    "MERGE (n:Evil {id: 1})",
    "RETURN 1 AS x UNION CREATE (:Evil) RETURN 1 AS x",
    "FOREACH (x IN [1] | CREATE (:Evil))",
    "MATCH (n:Sample) FOREACH (x IN [1] | SET n.x = 1)",
    "CALL () { CREATE (:Evil) }",
    "CALL { CREATE (:Evil) } IN TRANSACTIONS",
    "UNWIND [1,2] AS x CALL (x) { CREATE (:Evil) } IN TRANSACTIONS OF 1 ROW",
    "MATCH (n) CALL { WITH n DETACH DELETE n } IN CONCURRENT TRANSACTIONS",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "USING PERIODIC COMMIT LOAD CSV FROM 'http://127.0.0.1/' AS row CREATE (:Evil)",
    "MATCH (n) LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "CREATE INDEX evil FOR (n:Sample) ON (n.answer)",
    "CREATE CONSTRAINT evil FOR (n:Sample) REQUIRE n.answer IS UNIQUE",
    "DROP CONSTRAINT sample_id",
    "DROP INDEX entity_sample",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "ALTER DATABASE neo4j SET ACCESS READ ONLY",
    "CREATE USER evil SET PASSWORD 'evilevil'",
    "DROP DATABASE neo4j",
    "CREATE DATABASE evil",
    "STOP DATABASE neo4j",
    "GRANT ROLE admin TO evil",
    "SHOW TRANSACTIONS YIELD transactionId TERMINATE TRANSACTIONS transactionId",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "CALL db.createLabel('Evil')",
    "MATCH (n) CALL db.createLabel('Evil') RETURN n",
    "CALL\n db.createLabel('Evil')",
    "CALL/**/db.createLabel('Evil')",
    "CALL `db`.`createLabel`('Evil')",
    "OPTIONAL CALL db.createLabel('Evil')",
    "CALL db.createRelationshipType('EVIL')",
    "CALL db.createProperty('evil')",
    "CALL dbms.setConfigValue('a', 'b')",
    "RETURN 1; CREATE (:Evil)",
    "RETURN 1 /* ; */ ; MATCH (n) DETACH DELETE n",
    "// only looks\nCREATE (:Evil)",
    "// only looks\rCREATE (:Evil)",
    "RETURN 'a' AS x // '\nCREATE (:Evil) // '",
    "RETURN `a``b` CREATE (:Evil)",
    "RETURN 1.CREATE (:Evil)",
    "FOREACH(x IN [1]|CREATE (:Evil))",
    "RETURN [x IN [1]|x]CREATE(:Evil)",
    "\\u0043REATE (:Evil)",
    "RETURN '\\u0027 AS x CREATE (:Evil) RETURN \\u0027'",
    "EXPLAIN CREATE (:Evil)",
    "PROFILE CREATE (:Evil)",
    "CYPHER 5 CREATE (:Evil)",
    "CYPHER runtime=slotted CREATE (:Evil)",
    "USE system CREATE USER evil SET PASSWORD 'evilevil'",
    "USE neo4j RETURN 1",
    "INSERT (:Evil)",
    "MATCH (n:Sample) WITH n CREATE(n)-[:EVIL]->(n)",
    "MATCH (n:Sample)SET n:Evil",
    "MATCH (n:Sample) SET n += {evil: 1} RETURN n",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "INSERT INTO Sample SET id = 'evil'",
    "DELETE FROM Sample",
    "SELECT FROM Sample",
    "",
    "   ",
    ";",
    "// nothing",
    "RETURN sql.eval('1 = 1') AS x",
    "CALL apoc.util.sleep(1)",
)


# what looks like a write to one reader and like text to another
TRICKS = (
    "RETURN '\\' AS x CREATE (:Evil) RETURN '",
    "RETURN '' CREATE (:Evil) RETURN ''",
    "/* '*/ CREATE (:Evil) /* '*/",
    "RETURN `a\\` AS x CREATE (:Evil) RETURN 1 AS `b`",
    "RETURN 'a\\\\' AS x CREATE (:Evil) RETURN 'b'",
    'RETURN "\\" AS x CREATE (:Evil) RETURN "',
)


def test_what_reads_is_answered(store: Store) -> None:
    load(store)
    for text, rows in READING:
        assert store.query_text(text).rows == rows, text


def test_what_writes_leaves_the_graph_as_it_was(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    once = dump(store)
    schema = sorted(row["name"] for row in store.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name"))
    for text in (*WRITING, *TRICKS):
        with suppress(KbeError):
            store.query_text(text, timeout=10)
        assert once == dump(store), text
    names = store.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name")
    assert schema == sorted(row["name"] for row in names)
    assert "Evil" not in [
        row["label"] for row in store.connection.read_text("CALL db.labels() YIELD label RETURN label")
    ]


def test_rows_are_cut_and_say_so(store: Store) -> None:
    load(store)
    table = store.query_text("MATCH (n:Entity) RETURN n.id AS id ORDER BY id", limit=3)
    assert len(table.rows) == 3
    assert table.cut
    assert table.columns == ("id",)
    assert not store.query_text("MATCH (n:Sample) RETURN n.id AS id", limit=2).cut
    cut = store.query("relation_frequency", {"limit": "10"}, limit=1)
    assert (len(cut.rows), cut.cut) == (1, True)


def test_rows_that_are_not_shown_are_not_fetched(store: Store) -> None:
    """A billion rows would take minutes to drain."""
    load(store)
    once = dump(store)
    begun = time.monotonic()
    table = store.query_text(f"{LONG} RETURN x, y", limit=5, timeout=60)
    assert (len(table.rows), table.cut) == (5, True)
    assert time.monotonic() - begun < 20
    with suppress(KbeError):
        store.query_text("UNWIND range(1, 9) AS x CREATE (n:Evil) RETURN x", limit=2, timeout=10)
    assert once == dump(store)


def test_a_server_that_keeps_time_limits_goes_on_after_one(engine: Engine, store: Store) -> None:
    if engine.name == "embedded":
        pytest.skip("the embedded engine has to be ended: see test_halt.py")
    with pytest.raises(StatementTimeout):
        store.query_text(NEVER, timeout=1)
    assert store.query_text("RETURN 1 AS one").rows == ((1,),)


def test_nodes_edges_and_paths_come_as_plain_data(store: Store) -> None:
    load(store)
    text = "MATCH p = (s:Sample {id: $id})-[r:ROOT]->(e) RETURN p, r, [s.id] AS ids, {e: e.name} AS names"
    ((path, edge, ids, names),) = store.query_text(text, {"id": SAMPLE.id}).rows
    assert [path[0]["labels"], path[1], path[2]["name"]] == [["Sample"], {"type": "ROOT"}, "IMAGE"]
    assert (edge, ids, names) == ({"type": "ROOT"}, [SAMPLE.id], {"e": "IMAGE"})


def test_a_mistake_is_told_in_one_line(store: Store) -> None:
    with pytest.raises(StoreError, match="rejects the statement: ") as seen:
        store.query_text("MATCH (n RETURN n")
    assert "\n" not in str(seen.value)
