"""Lenient coercion of a reply to its form: excess is cut off, and broken items are dropped.

The form itself stays strict, because the endpoint receives its schema.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from kbe_graph.types import VERDICTS

Form = TypeVar("Form", bound=BaseModel)
Place = tuple[int | str, ...]

PASSES = 12  # a list is shortened first, then its items are fixed, then their parts
LONG_NAMES = {"s": "subject", "r": "relation", "o": "object", "n": "number", "q": "question", "a": "answer"}
SPARE = {"names", "type", "q"}  # optional fields of an item
YES_OR_NO = {"ok", *VERDICTS}  # boolean fields that become False if missing or invalid
# how a broken item is handled: dropped, or replaced by an empty one where items are identified by their number
LEFT_OUT = {"candidates", "verdicts", "questions", "answers", "names", "others"}
EMPTIED = {"visual", "textual"}
ENDING = {"hops"}  # or the list ends before it, where each item depends on the previous one
NOTHING = "..."


def coerce(form: type[Form], value: Any) -> Form:
    """Coerce a value to the form by removing parts that do not fit; raises ValidationError if too little is left."""
    for _ in range(PASSES):
        try:
            return form.model_validate(value)
        except ValidationError as error:
            if not _Coercion(value).has_mended(error.errors(include_url=False)):
                raise
    return form.model_validate(value)


class _Coercion:
    """Single in-place pass over a value."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._broken: dict[Place, set[int]] = {}

    def has_mended(self, errors: Sequence[ErrorDetails]) -> bool:
        """Repair each error; False if that would lose the reply."""
        missing = [error for error in errors if error["type"] == "missing"]
        others = [error for error in errors if error["type"] != "missing"]
        return all(map(self._has_mended, (*missing, *others))) and self._has_dropped()

    def _has_mended(self, error: ErrorDetails) -> bool:
        *path, last = error["loc"] or ("",)
        owner = _at(self._value, path)
        match error["type"]:
            case "extra_forbidden" if isinstance(owner, dict):
                owner.pop(last, None)
            case "missing" if isinstance(owner, dict) and LONG_NAMES.get(str(last), "") in owner:
                owner[last] = owner.pop(LONG_NAMES[str(last)])
            case "too_long":
                items = _at(self._value, error["loc"])
                if not isinstance(items, list):
                    return False
                del items[error["ctx"]["max_length"] :]
            case _ if last in YES_OR_NO and isinstance(owner, dict):
                owner[last] = False
            case kind if last in SPARE and kind != "missing" and isinstance(owner, dict):
                owner.pop(last, None)
            case _:
                return self._note_item(error["loc"])
        return True

    def _note_item(self, place: Sequence[int | str]) -> bool:
        for end in range(len(place) - 1, 0, -1):
            index, name = place[end], place[end - 1]
            if isinstance(index, int):
                self._broken.setdefault(tuple(place[:end]), set()).add(index)
                return name in LEFT_OUT | EMPTIED | ENDING
        return False

    def _has_dropped(self) -> bool:
        for place, indexes in self._broken.items():
            items, name = _at(self._value, place), place[-1]
            if not isinstance(items, list) or (len(indexes) >= len(items) and name not in SPARE):
                return False
            if name in EMPTIED:
                for index in indexes:
                    items[index] = dict.fromkeys(("s", "r", "o"), NOTHING)
            elif name in ENDING:
                del items[min(indexes) :]
                if not items:
                    return False
            else:
                items[:] = [item for index, item in enumerate(items) if index not in indexes]
        return True


def _at(value: Any, place: Sequence[int | str]) -> Any:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
