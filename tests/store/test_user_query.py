"""Cypher of a user's own: it reads, and cannot write on any engine."""

from contextlib import suppress

import pytest
from engines import Engine
from specimens import SAMPLE, dump, load

from kbe_graph.errors import KbeError
from kbe_graph.store import Store
from kbe_graph.store.connection import StatementTimeout

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
    "MATCH (n:Sample) SET n.question = 'gone'",
    "MATCH (n:Sample) DETACH DELETE n",
    "MERGE (n:Evil {id: 1})",
    "RETURN 1 AS x UNION CREATE (:Evil) RETURN 1 AS x",
    "CALL () { CREATE (:Evil) }",
    "CALL { CREATE (:Evil) } IN TRANSACTIONS",
    "MATCH (n) CALL { WITH n DETACH DELETE n } IN CONCURRENT TRANSACTIONS",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "USING PERIODIC COMMIT LOAD CSV FROM 'http://127.0.0.1/' AS row CREATE (:Evil)",
    "CREATE INDEX evil FOR (n:Sample) ON (n.answer)",
    "DROP CONSTRAINT sample_id",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "DROP DATABASE neo4j",
    "GRANT ROLE admin TO evil",
    "SHOW TRANSACTIONS YIELD transactionId TERMINATE TRANSACTIONS transactionId",
    "CALL db.createLabel('Evil')",
    "CALL dbms.setConfigValue('db.logs.query.enabled', 'off')",
    "CALL apoc.cypher.doIt('CREATE (:Evil)', {}) YIELD value RETURN value",
    "CALL sql.command('DELETE FROM Sample')",
    "PROFILE MATCH ()-[r]->() DELETE r",
    "RETURN 1; CREATE (:Evil)",
    "// only looks\nCREATE (:Evil)",
    "RETURN 'a' AS x // '\nCREATE (:Evil) // '",
    "RETURN 1.CREATE (:Evil)",
    "FOREACH(x IN [1]|CREATE (:Evil))",
    "RETURN [x IN [1]|x]CREATE(:Evil)",
    "\\u0043REATE (:Evil)",
    "RETURN '\\u0027 AS x CREATE (:Evil) RETURN \\u0027'",
    "CYPHER 5 CREATE (:Evil)",
    "USE system CREATE USER evil SET PASSWORD 'evilevil'",
    "USE neo4j RETURN 1",
    "MATCH (n:Sample) WITH n CREATE(n)-[:EVIL]->(n)",
    "MATCH (n:Sample) SET n += {evil: 1} RETURN n",
    "COMMIT",
    "INSERT INTO Sample SET id = 'evil'",
    "",
    "// nothing",
    "RETURN sql.eval('1 = 1') AS x",
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


def test_what_writes_leaves_the_graph_as_it_was(full: Store) -> None:
    once = dump(full)
    schema = sorted(row["name"] for row in full.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name"))
    for text in (*WRITING, *TRICKS):
        with suppress(KbeError):
            full.query_text(text, timeout=10)
        assert once == dump(full), text
    names = full.connection.read_text("SHOW CONSTRAINTS YIELD name RETURN name")
    assert schema == sorted(row["name"] for row in names)
    assert "Evil" not in [
        row["label"] for row in full.connection.read_text("CALL db.labels() YIELD label RETURN label")
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
