"""The query console: named statements and read-only Cypher, with results as a table."""

import json
from typing import Any

from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.explorer import CrowdedError, Explorer, PageView
from kbe_graph.store import Table
from kbe_graph.store.statements import queries, query_statement
from kbe_graph.web.pages import Given, number_of

ROWS, MOST_ROWS = 100, 1_000
MOST_LETTERS = 2_000  # per cell; a query may return a list of millions
SECONDS, MOST_SECONDS = 10, 60
_PARAMETER = "p."  # prefix of the form fields for a named statement's parameters


def console_page(explorer: Explorer, given: Given) -> PageView:
    """Build the console, filled in from the address, without running a query; raises InputError."""
    del explorer
    return PageView("console.html", _form(given) | {"table": None, "error": ""})


def answer_page(explorer: Explorer, given: Given) -> PageView:
    """Build the console with the result of the query, or its error."""
    form = _form(given)
    try:
        table = _ask(explorer, form)
    except KbeError as error:
        status = 429 if isinstance(error, CrowdedError) else 400
        return PageView("console.html", form | {"table": None, "error": str(error)}, status)
    return PageView("console.html", form | {"table": table, "error": ""})


def _form(given: Given) -> dict[str, Any]:
    statement = query_statement(given["name"]) if given.get("name") else None
    fields = {
        parameter.name: given.get(_PARAMETER + parameter.name, "" if parameter.required else parameter.default or "")
        for parameter in (statement.parameters if statement else ())
        if parameter.name != "limit"  # the cap on rows is its limit
    }
    rows = number_of(given, "rows", ROWS, least=1, most=MOST_ROWS)
    seconds = number_of(given, "seconds", SECONDS, least=1, most=MOST_SECONDS)
    asked = {name: given.get(name, "") for name in ("cypher", "parameters")}
    link = {"name": statement.name if statement else None, "rows": rows, "seconds": seconds}
    link |= {_PARAMETER + name: text for name, text in fields.items() if text}
    link |= {} if statement else {name: text for name, text in asked.items() if text}
    form = {"statements": queries(), "statement": statement, "fields": fields, "link_values": link, **asked}
    return form | {"rows": rows, "seconds": seconds}


def _ask(explorer: Explorer, form: dict[str, Any]) -> Table:
    rows, seconds = form["rows"], form["seconds"]
    with explorer.query() as store:
        if form["statement"]:
            values: dict[str, Any] = {name: text for name, text in form["fields"].items() if text}
            return store.query(form["statement"].name, values, limit=rows, timeout=seconds)
        if not form["cypher"].strip():
            raise InputError("the query is empty; write one, or choose a named statement")
        return store.query_text(form["cypher"], _parameters(form["parameters"]), limit=rows, timeout=seconds)


def _parameters(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f'the parameters are not JSON ({error}); write them as {{"hop": 1}}') from None
    if not isinstance(values, dict):
        raise InputError(f'the parameters are {text!r}; write names and values, such as {{"hop": 1}}')
    return values


def cell_text(cell: Any) -> str:
    """Format a cell of a result as text; a long one is cut, with a note.

    >>> cell_text({"name": "dog", "raw": b"ab"})
    '{"name": "dog", "raw": "6162"}'
    """
    text = cell if isinstance(cell, str) else "" if cell is None else _plain_text(cell)
    if len(text) <= MOST_LETTERS:
        return text
    return f"{text[:MOST_LETTERS]} … ({len(text)} characters; 'kbe query' prints the full value)"


def _plain_text(cell: Any) -> str:
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True, default=_plain_text)
    return cell.hex() if isinstance(cell, bytes | bytearray) else str(cell)
