"""Refuses Cypher that could write, or act outside of its transaction, before it is sent."""

import re

from kbe_graph.errors import InputError

# words that write, that change the server, or that reach out of the graph; a name in backticks is no such word
REFUSED = frozenset(
    [
        "ALTER",
        "CREATE",
        "DEALLOCATE",
        "DELETE",
        "DENY",
        "DETACH",
        "DROP",
        "DRYRUN",
        "ENABLE",
        "FINISH",
        "FOREACH",
        "GRANT",
        "INSERT",
        "LOAD",
        "MERGE",
        "NODETACH",
        "REALLOCATE",
        "REMOVE",
        "RENAME",
        "REVOKE",
        "SET",
        "START",
        "STOP",
        "TERMINATE",
        "TRANSACTIONS",
        "USE",
    ]
)
BEGIN = "begin with MATCH, OPTIONAL MATCH, UNWIND, WITH, CALL {...} or RETURN"
FIRST = frozenset(["MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "PROFILE"])
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`", re.DOTALL)
_COMMENT = re.compile(r"//[^\n\r]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(rf"{_QUOTED.pattern}|{_COMMENT.pattern}", re.DOTALL)
_WORD = re.compile(r"(?:(?<![\w.:$|&!])|(?<=\d\.))[A-Za-z_]\w*")
_PROCEDURE = re.compile(r"\bCALL\s*(?![\s({])", re.IGNORECASE)


def refuse_writing(text: str) -> str:
    """Return the text without comments, where it only reads; raises InputError otherwise."""
    clean = _TOKEN.sub(lambda found: found[0] if _QUOTED.fullmatch(found[0]) else " ", text).strip().rstrip(";").strip()
    bare = _QUOTED.sub("''", clean)
    if "\\u" in text or "\\U" in text:
        raise _refused("\\u", "write the letter itself")
    if ";" in bare:
        raise _refused(";", "ask one query at a time")
    words = [word.upper() for word in _WORD.findall(bare)]
    if words[:1] == ["EXPLAIN"]:
        raise _refused("EXPLAIN", "it gives a plan and no rows; 'kbe db url' tells how the engine's own tools connect")
    if not bare:
        raise InputError(f"the query is empty; {BEGIN}")
    if not words or words[0] not in FIRST:
        raise _refused(words[0] if words else bare[:20], BEGIN)
    if found := next((word for word in words if word in REFUSED), None):
        raise _refused(found, "a query may only read; put a name that looks like it in `backticks`")
    if _PROCEDURE.search(bare):
        raise _refused("CALL", "procedures cannot be called; subqueries CALL {...} can")
    return clean


def _refused(found: str, way_out: str) -> InputError:
    return InputError(f"the query is refused for {found!r}: {way_out}")
