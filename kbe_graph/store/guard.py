"""Filter for users' Cypher: refuses queries that could write or act outside their transaction, and says why.

The actual protection is the engine: a query runs as a read-only user or in a read transaction (``user_query``). This
filter comes before it, and lets through only clauses that are known to read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.resources import data, rows

# keywords that write or reach outside the graph, even in a query that starts with a reading clause
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
_KINDS = re.compile(
    r"""
    (?P<space>\s+|//[^\n\r]*|/\*.*?\*/)
  | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\d\w*)
  | (?P<mark>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|[\d_]+(?:[eE]\d*)?[fFdDlL]?")
_NO_KEYWORD_AFTER = frozenset(".:$|&!")  # followed by a property, a label or a parameter
# keywords that may precede a parenthesis without being a function call
_BEFORE_PARENTHESIS = re.compile(
    r"ALL|AND|ANY|BY|CALL|CASE|CONTAINS|DISTINCT|ELSE|EXISTS|FILTER|GROUPS?|IN|LIMIT|MATCH|NOT|OFFSET|ON|OR|PATHS?|"
    r"RETURN|SHORTEST|SKIP|THEN|UNION|UNWIND|WHEN|WHERE|WITH|XOR",
    re.IGNORECASE,
)


class CypherToken(NamedTuple):
    """A Cypher token other than space or comment: its kind (text, quoted, name, number or mark) and source text."""

    kind: str
    text: str

    @property
    def plain(self) -> str:
        """The name without backticks."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


class UnreadableTokenError(ValueError):
    """A token that engines may read differently; its argument is the token."""


@cache
def reading(kind: str) -> frozenset[str]:
    """Return the lower-case names of functions or procedures (``kind``) that are known only to read.

    They come with Neo4j and access nothing but their arguments and the graph.
    """
    return frozenset(name for _, (name, what) in rows(data("reading.tsv"), ("name", "kind")) if what == kind)


def refuse_writing(text: str) -> str:
    """Return the query without a trailing semicolon; raises InputError if it could do more than read."""
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
        raise _refused(";", "send one query at a time")
    if words[:1] == ["EXPLAIN"]:
        raise _refused(
            "EXPLAIN",
            "it gives a plan and no rows; `work.graph.engine.address()` shows how to connect with the tools of Neo4j",
        )
    if not words or words[0] not in FIRST or tokens[0].text.upper() != words[0]:
        raise _refused(tokens[0].text[:20], BEGIN)
    if found := next((word for word in words if word in REFUSED), None):
        raise _refused(found, "a query may only read; put a name that looks like it in `backticks`")


def _refused(found: str, way_out: str) -> InputError:
    return InputError(f"the query is refused for {found!r}: {way_out}")


def tokens_of(text: str) -> list[CypherToken]:
    """Split Cypher into tokens.

    Raises UnreadableTokenError for an unclosed quote or comment, and for letters directly after a number, which one
    engine may read as part of a name and another as the next word.
    """
    tokens = [CypherToken(str(found.lastgroup), found[0]) for found in _KINDS.finditer(text)]
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=CypherToken("", "")):
        is_open_comment = token.text == "/" and following.text.startswith(("*", "/"))
        is_odd_number = token.kind == "number" and not _NUMBER.fullmatch(token.text)
        if (token.kind == "mark" and token.text in "'\"`") or is_open_comment or is_odd_number:
            raise UnreadableTokenError(token.text)
    return [token for token in tokens if token.kind != "space"]


def keywords(tokens: Sequence[CypherToken]) -> list[str]:
    """Return possible keywords in upper case: names without backticks that are not properties, labels or parameters."""
    return [token.text.upper() for number, token in enumerate(tokens) if _is_word(tokens, number)]


def called_functions(tokens: Sequence[CypherToken]) -> Iterator[str]:
    """Yield the lower-case name of each called function with its namespace: ``apoc.text.join``.

    A name before a parenthesis is a function call, unless it is a keyword. A name that starts with a dot (``.eval``) is
    called on a value.
    """
    for number, token in enumerate(tokens):
        if token.text != "(" or number == 0 or tokens[number - 1].kind not in {"name", "quoted"}:
            continue
        first = _begin_of_name(tokens, number - 1)
        is_keyword = _is_word(tokens, number - 1) and _BEFORE_PARENTHESIS.fullmatch(tokens[number - 1].text)
        if not is_keyword and not _is_procedure(tokens, first):
            yield "".join(token.plain for token in tokens[first:number]).lower()


def called_procedures(tokens: Sequence[CypherToken]) -> Iterator[str]:
    """Yield the lower-case name of each called procedure with its namespace: ``db.labels``."""
    for number, token in enumerate(tokens):
        if token.kind in {"name", "quoted"} and _is_procedure(tokens, number):
            end = number + 1
            while end < len(tokens) and (tokens[end].text == ".") != (tokens[end - 1].text == "."):
                end += 1
            yield "".join(token.plain for token in tokens[number:end]).lower()


def _is_procedure(tokens: Sequence[CypherToken], first: int) -> bool:
    return first > 0 and _is_word(tokens, first - 1) and tokens[first - 1].text.upper() == "CALL"


def _begin_of_name(tokens: Sequence[CypherToken], last: int) -> int:
    """Return the index of the first token of a dotted name whose last token is ``last``."""
    first = last
    while first > 0 and tokens[first - 1].text == ".":
        first -= 1
        if first > 0 and tokens[first - 1].kind in {"name", "quoted"}:
            first -= 1
        else:
            break
    return first


def _is_word(tokens: Sequence[CypherToken], number: int) -> bool:
    """Return True if a token may be a keyword; a name after ``1.`` may be one."""
    if tokens[number].kind != "name":
        return False
    before = tokens[number - 1] if number else None
    if before is None or before.text not in _NO_KEYWORD_AFTER:
        return True
    return before.text == "." and number > 1 and tokens[number - 2].kind == "number"
