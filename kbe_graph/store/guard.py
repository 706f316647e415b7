"""Refuses Cypher that could write, or act outside of its transaction, before it is sent, and says why.

The engine itself is the protection: a query logs in as a user who may only read, or asks in a transaction for reading
(``user``). This is the fence before it: it lets through only the clauses that it knows to read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.resources import data, rows

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
_NO_KEYWORD_AFTER = frozenset(".:$|&!")  # what comes after these is a property, a label or a parameter
# what may stand before a parenthesis and calls nothing
_BEFORE_PARENTHESIS = re.compile(
    r"ALL|AND|ANY|BY|CALL|CASE|CONTAINS|DISTINCT|ELSE|EXISTS|FILTER|GROUPS?|IN|LIMIT|MATCH|NOT|OFFSET|ON|OR|PATHS?|"
    r"RETURN|SHORTEST|SKIP|THEN|UNION|UNWIND|WHEN|WHERE|WITH|XOR",
    re.IGNORECASE,
)


class CypherToken(NamedTuple):
    """A token that is no space and no comment: its kind (text, quoted, name, number or mark) and how it is written."""

    kind: str
    text: str

    @property
    def plain(self) -> str:
        """The name that is meant, without backticks."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


class UnreadableTokenError(ValueError):
    """A token that the engines may read differently; its argument is the token."""


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
    """Return the tokens of a Cypher text.

    Raises UnreadableTokenError for a quote or a comment without an end, and for letters that touch a number: one engine
    may take them for a name, another for the next word.
    """
    tokens = [CypherToken(str(found.lastgroup), found[0]) for found in _KINDS.finditer(text)]
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=CypherToken("", "")):
        is_open_comment = token.text == "/" and following.text.startswith(("*", "/"))
        is_odd_number = token.kind == "number" and not _NUMBER.fullmatch(token.text)
        if (token.kind == "mark" and token.text in "'\"`") or is_open_comment or is_odd_number:
            raise UnreadableTokenError(token.text)
    return [token for token in tokens if token.kind != "space"]


def keywords(tokens: Sequence[CypherToken]) -> list[str]:
    """Return the words that may be keywords, in capitals: names without backticks that are no property or label."""
    return [token.text.upper() for number, token in enumerate(tokens) if _is_word(tokens, number)]


def called_functions(tokens: Sequence[CypherToken]) -> Iterator[str]:
    """Give the name of each function that is called, in small letters, with its namespace: ``apoc.text.join``.

    A name before a parenthesis calls a function, but for keywords. One that begins with a dot (``.eval``) is called on
    a value.
    """
    for number, token in enumerate(tokens):
        if token.text != "(" or number == 0 or tokens[number - 1].kind not in {"name", "quoted"}:
            continue
        first = _begin_of_name(tokens, number - 1)
        is_keyword = _is_word(tokens, number - 1) and _BEFORE_PARENTHESIS.fullmatch(tokens[number - 1].text)
        if not is_keyword and not _is_procedure(tokens, first):
            yield "".join(token.plain for token in tokens[first:number]).lower()


def called_procedures(tokens: Sequence[CypherToken]) -> Iterator[str]:
    """Give the name of each procedure that is called, in small letters, with its namespace: ``db.labels``."""
    for number, token in enumerate(tokens):
        if token.kind in {"name", "quoted"} and _is_procedure(tokens, number):
            end = number + 1
            while end < len(tokens) and (tokens[end].text == ".") != (tokens[end - 1].text == "."):
                end += 1
            yield "".join(token.plain for token in tokens[number:end]).lower()


def _is_procedure(tokens: Sequence[CypherToken], first: int) -> bool:
    return first > 0 and _is_word(tokens, first - 1) and tokens[first - 1].text.upper() == "CALL"


def _begin_of_name(tokens: Sequence[CypherToken], last: int) -> int:
    """Return the place of the first part of a name that ends at ``last``: names with dots between."""
    first = last
    while first > 0 and tokens[first - 1].text == ".":
        first -= 1
        if first > 0 and tokens[first - 1].kind in {"name", "quoted"}:
            first -= 1
        else:
            break
    return first


def _is_word(tokens: Sequence[CypherToken], number: int) -> bool:
    """Return True if a token may be a keyword; after ``1.`` it may."""
    if tokens[number].kind != "name":
        return False
    before = tokens[number - 1] if number else None
    if before is None or before.text not in _NO_KEYWORD_AFTER:
        return True
    return before.text == "." and number > 1 and tokens[number - 2].kind == "number"
