"""Refuses Cypher that could write, or act outside of its transaction, before it is sent, and says why.

What holds is the engine itself, where a query logs in as who may only read, or asks in a transaction for reading
(``user``). This is the fence before it: it knows what only reads, and lets nothing else through.
"""

from functools import cache

from kbe_graph.errors import InputError
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.store.cypher_tokens import (
    CypherToken,
    UnreadableTokenError,
    called_functions,
    called_procedures,
    keywords,
    tokens_of,
)

# words of clauses that write, or that reach out of the graph, after a first word that reads
REFUSED = frozenset(
    [
        "CREATE",
        "DELETE",
        "DETACH",
        "DROP",
        "FOREACH",
        "INSERT",
        "LOAD",
        "MERGE",
        "NODETACH",
        "REMOVE",
        "SET",
        "TRANSACTIONS",
        "USE",
    ]
)
BEGIN = "begin with MATCH, OPTIONAL MATCH, UNWIND, WITH, CALL or RETURN"
FIRST = frozenset(["MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "PROFILE"])
LISTED = "docs/security.md lists them"


@cache
def reading(kind: str) -> frozenset[str]:
    """Return the names of the functions, or procedures, that are known to read only, in small letters.

    They are those that come with Neo4j and touch nothing but their arguments and the graph.
    """
    return frozenset(name for _, (name, what) in rows(data("reading.tsv"), ("name", "kind")) if what == kind)


def refuse_writing(text: str) -> str:
    """Return the text without a semicolon at its end, where it only reads; raises InputError otherwise."""
    if "\\u" in text or "\\U" in text:
        raise _refused("\\u", "write the letter itself")
    clean = text.strip().rstrip(";").strip()
    try:
        tokens = tokens_of(clean)
    except UnreadableTokenError as error:
        raise _refused(str(error), "close each quote and comment, and put a space after a number") from None
    if not tokens:
        raise InputError(f"the query is empty; {BEGIN}")
    _refuse_words(tokens)
    if name := next((name for name in called_procedures(tokens) if name not in reading("procedure")), None):
        raise _refused(f"CALL {name}", f"only procedures that read may be called; {LISTED}")
    if name := next((name for name in called_functions(tokens) if name not in reading("function")), None):
        raise _refused(f"{name}(...)", f"only functions that read may be called; {LISTED}")
    return clean


def _refuse_words(tokens: list[CypherToken]) -> None:
    words = keywords(tokens)
    if any(token.text == ";" for token in tokens):
        raise _refused(";", "ask one query at a time")
    if words[:1] == ["EXPLAIN"]:
        raise _refused(
            "EXPLAIN",
            "it gives a plan and no rows; `work.graph.engine.address()` tells how the engine's own tools connect",
        )
    if not words or words[0] not in FIRST or tokens[0].text.upper() != words[0]:
        raise _refused(tokens[0].text[:20], BEGIN)
    if found := next((word for word in words if word in REFUSED), None):
        raise _refused(found, "a query may only read; put a name that looks like it in `backticks`")


def _refused(found: str, way_out: str) -> InputError:
    return InputError(f"the query is refused for {found!r}: {way_out}")
