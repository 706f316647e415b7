"""Coerces a reply to its form where only a part of it is wrong: excess is cut off, a broken item is left out.

The form itself stays strict, as the endpoint is asked for its schema.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from kbe_graph.types import VERDICTS

Form = TypeVar("Form", bound=BaseModel)
Place = tuple[int | str, ...]

PASSES = 12  # a list is cut first, then its items are looked at, then the parts of these
LONG_NAMES = {"s": "subject", "r": "relation", "o": "object", "n": "number", "q": "question", "a": "answer"}
SPARE = {"names", "type", "q"}  # fields of an item that it can do without
YES_OR_NO = {"ok", *VERDICTS}  # fields that are a no where they are missing or say something else
# what becomes of a broken item: it is left out, or an empty one keeps its place, as items are known by their number
LEFT_OUT = {"candidates", "verdicts", "questions", "answers", "names", "others"}
EMPTIED = {"visual", "textual"}
ENDING = {"hops"}  # or the list ends before it, as each item hangs on the one before
NOTHING = "..."


def coerce(form: type[Form], value: Any) -> Form:
    """Coerce a value to the form, without the parts that do not fit; raises ValidationError if too little is left."""
    for _ in range(PASSES):
        try:
            return form.model_validate(value)
        except ValidationError as error:
            if not _Coercion(value).has_mended(error.errors(include_url=False)):
                raise
    return form.model_validate(value)


class _Coercion:
    """One pass over a value, in place."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._broken: dict[Place, set[int]] = {}

    def has_mended(self, errors: Sequence[ErrorDetails]) -> bool:
        """Mend each error; False if that would lose the reply."""
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
        """Note the item at a place as broken; False if its list cannot do without it."""
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
    """Return the value at a place, None if there is none."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
