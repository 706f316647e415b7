"""Statements that try to write: those that once destroyed a graph, and two hundred more from a seed."""

import random
import re

# one of each kind: records, the schema, functions, files; each wants an engine of its own, which keeps the first
# condition that it is given
KINDS = (
    "(DELETE FROM Sample) IS NOT NULL AND (COMMIT) IS NOT NULL",
    "(INSERT INTO Sample SET id = 'evil') IS NOT NULL AND (COMMIT) IS NOT NULL",
    "(COMMIT) IS NOT NULL AND (DROP TYPE Candidate UNSAFE) IS NOT NULL",
    '(DEFINE FUNCTION evil.x "return 1" LANGUAGE js) IS NOT NULL',
    "(BACKUP DATABASE) IS NOT NULL",
)


def sql(condition: str) -> str:
    """Build the Cypher that makes the embedded engine evaluate an SQL condition."""
    return f"RETURN sql.eval({condition!r}) AS x"


CLAUSES = (
    "CREATE (:Evil {id: 1})",
    "MERGE (e:Evil {id: 1})",
    "MATCH (n:Sample) SET n.question = 'gone'",
    "MATCH (n:Sample) SET n:Evil",
    "MATCH (n:Sample) REMOVE n.question",
    "MATCH (n:Sample) DETACH DELETE n",
    "MATCH ()-[r]->() DELETE r",
    "MATCH (n:Sample) FOREACH (x IN [1, 2] | SET n.x = x)",
    "FOREACH (x IN [1] | CREATE (:Evil))",
    "MATCH (n:Sample) WITH n LIMIT 1 CREATE (n)-[:EVIL]->(n)",
    "LOAD CSV FROM 'file:///etc/passwd' AS row CREATE (:Evil {row: row})",
    "CREATE INDEX evil FOR (n:Sample) ON (n.answer)",
    "DROP CONSTRAINT sample_id",
    "CREATE USER evil SET PASSWORD 'evilevil'",
    "INSERT (:Evil)",
    "CALL db.createLabel('Evil')",
    "CALL dbms.setConfigValue('db.logs.query.enabled', 'off')",
    "CALL apoc.create.node(['Evil'], {}) YIELD node RETURN node",
    "CALL apoc.cypher.doIt('CREATE (:Evil)', {}) YIELD value RETURN value",
    "CALL sql.command('DELETE FROM Sample')",
)


def generated(seed: int, count: int) -> list[str]:
    """Generate distinct statements that try to write, each with its clause hidden in a different way."""
    draw = random.Random(seed)
    statements: dict[str, None] = {}
    while len(statements) < count:
        text = draw.choice(CLAUSES)
        for hide in draw.sample(HIDINGS, draw.choice((1, 2, 2, 3))):
            text = hide(text, draw)
        statements[text] = None
    return list(statements)


def _in_subquery(text: str, draw: random.Random) -> str:
    begin = draw.choice(("CALL {", "CALL () {", "UNWIND [1] AS u CALL (u) {", "MATCH (s) CALL (s) {", "CALL(*){"))
    return f"{begin} {text} }} RETURN 1 AS one"


def _in_expression(text: str, draw: random.Random) -> str:
    return f"RETURN {draw.choice(('EXISTS', 'COUNT', 'COLLECT'))} {{ {text} }} AS x"


def _in_union(text: str, draw: random.Random) -> str:
    return draw.choice((f"RETURN 1 AS x UNION ALL {text}", f"{text} UNION RETURN 1 AS x", f"RETURN 1 AS x NEXT {text}"))


def _after_reading(text: str, draw: random.Random) -> str:
    return f"{draw.choice(('MATCH (q) WITH count(q) AS c', 'WITH 1 AS c', 'OPTIONAL MATCH (q:No) WITH q'))} {text}"


def _behind_text(text: str, draw: random.Random) -> str:
    trick = draw.choice(("'it\\'s'", "'\\\\'", '"\'"', "'/*'", '"//"', "'``'", "'a' + \"b'\""))
    return f"WITH {trick} AS t {text}"


def _behind_comment(text: str, draw: random.Random) -> str:
    return draw.choice(("// ' looks\n", '/* " */ ', "/**/", "//\r\n", "/* ' */ WITH 1 AS w /* \" */ ")) + text


def _with_comments(text: str, draw: random.Random) -> str:
    comment = draw.choice(("/**/", "/* ; */", "//\n", "/*'*/"))
    return re.sub(r" ", lambda _: comment if draw.random() < 0.5 else " ", text)


def _in_other_letters(text: str, draw: random.Random) -> str:
    change = draw.choice((str.lower, str.swapcase, str.title))
    return re.sub(r"\b[A-Z]{3,}\b", lambda found: change(found[0]), text)


def _with_escapes(text: str, draw: random.Random) -> str:
    at = draw.randrange(len(text))
    return f"{text[:at]}\\u{ord(text[at]):04x}{text[at + 1 :]}"


def _after_semicolon(text: str, draw: random.Random) -> str:
    return f"RETURN 1 AS one{draw.choice((';', ' ; ', '/* */;'))}{text}"


def _after_prefix(text: str, draw: random.Random) -> str:
    return f"{draw.choice(('PROFILE', 'CYPHER 25', 'CYPHER runtime=slotted', 'USE neo4j', 'EXPLAIN', 'BEGIN;'))} {text}"


HIDINGS = (
    _in_subquery,
    _in_expression,
    _in_union,
    _after_reading,
    _behind_text,
    _behind_comment,
    _with_comments,
    _in_other_letters,
    _with_escapes,
    _after_semicolon,
    _after_prefix,
)
