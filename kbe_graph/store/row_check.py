"""Checks what the graph gives back: a row that this program did not write is named, whatever changed it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from kbe_graph.errors import StoreError
from kbe_graph.types import VERDICTS

Row = Mapping[str, Any]
Kinds = Mapping[str, type | tuple[type, ...]]
R = TypeVar("R", bound=Row)

TEXT, OPTIONAL_TEXT, LIST, OPTIONAL_LIST = str, (str, type(None)), list, (list, type(None))
SAMPLE: Kinds = {
    **dict.fromkeys(("id", "benchmark", "split", "question", "answer", "status"), TEXT),
    **dict.fromkeys(("image", "image_id", "reason", "detail"), OPTIONAL_TEXT),
    **dict.fromkeys(("answers", "choices", "rationales", "fact"), OPTIONAL_LIST),
}
QUESTION: Kinds = {
    **dict.fromkeys(("id", "sample", "run", "kind", "text", "answer", "status", "provenance"), TEXT),
    **dict.fromkeys(("concept", "parent", "reason"), TEXT),
    "hop": int,
    "aliases": OPTIONAL_LIST,
}
RUN: Kinds = {"name": TEXT, "seed": TEXT, "settings": TEXT, "status": TEXT}
CANDIDATE: Kinds = {
    **dict.fromkeys(("relation", "object", "object_id", "status", "question", "sample", "run"), TEXT),
    **dict.fromkeys(("hop", "position"), int),
}
INSPECTION: Kinds = {
    **dict.fromkeys(("text", "answer", "model", "prompt", "call", "question", "sample", "run"), TEXT),
    **dict.fromkeys(VERDICTS, bool),
    **dict.fromkeys(("hop", "position"), int),
}
ANSWERED: Kinds = {
    **dict.fromkeys(("id", "text", "variant", "asked", "verdict", "judge"), TEXT),
    "run": int,
    "tokens": (int, type(None)),
    "votes": OPTIONAL_LIST,
}
FORM: Kinds = {
    **dict.fromkeys(("id", "form", "text", "maker"), TEXT),
    **dict.fromkeys(("options", "answers", "facts"), OPTIONAL_LIST),
}
COUNT: Kinds = {
    "run": TEXT,
    "hop": int,
    "status": TEXT,
    "reason": TEXT,
    "kind": TEXT,
    "grounding": TEXT,
    "noun": (bool, type(None)),
}
EDGE: tuple[type | tuple[type, ...], ...] = (
    str,
    int,
    str,
    *[(str, type(None))] * 3,
    str,
    int,
    bool,
    str,
    str,
    int,
    bool,
    str,
)
EDGE_NAMES = (
    "graph",
    "position",
    "relation",
    "source",
    "source_ref",
    "evidence",
    *("name", "number", "noun", "concept") * 2,
)


def check_row(what: str, row: R, kinds: Kinds, *, name: str = "id") -> R:
    """Return a row whose values are of their kinds; raises StoreError, which names the row, for another."""
    for field, kind in kinds.items():
        if not isinstance(row.get(field), kind):
            refuse_row(what, row.get(name), field, row.get(field))
    return row


def check_counts(what: str, rows: Iterable[R]) -> list[R]:
    """Return counts of nodes by their fields; raises StoreError as ``check_row``."""
    return [check_row(what, row, {name: COUNT[name] for name in COUNT.keys() & row.keys()}, name="run") for row in rows]


def check_edge(what: str, id_: str, edge: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a triplet as ``graphs`` and ``keys`` give them; raises StoreError as ``check_row``."""
    for field, value, kind in zip(EDGE_NAMES, edge, EDGE, strict=True):
        if not isinstance(value, kind):
            refuse_row(what, id_, field, value)
    return edge


def parse_field(what: str, row: Row, field: str, *, name: str = "id") -> Any:
    """Return what a field holds as JSON; raises StoreError as ``check_row``."""
    try:
        return json.loads(row[field])
    except (ValueError, RecursionError):
        refuse_row(what, row.get(name), field, row[field])


def refuse_row(what: str, id_: object, field: str, value: object) -> NoReturn:
    """Raise StoreError for a value that this program does not write."""
    raise StoreError(
        f"the {what} {id_!r} in the graph has a {field!r} that this program does not write ({str(value)[:60]!r}): "
        "another program changed the graph; restore a backup with `work.graph.restore(FILE, replace=True)`"
    )
