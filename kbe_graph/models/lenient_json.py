"""JSON as endpoints really send it: what can be read is read, and nothing in it can stop the program."""

import json
from typing import Any

_DIGITS = 300  # of a number; one that is longer is none that anybody means


def read_json(content: bytes) -> Any:
    """Return the value of a body: half a letter, a BOM and wrong bytes are replaced.

    Raises ValueError where it is no JSON, is cut, or is nested so deep that it cannot be read.
    """
    import orjson

    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:
        return _whole(json.loads(content.decode("utf-8-sig", "replace"), parse_int=_number))
    except RecursionError:
        raise ValueError("nested too deep to be read") from None


def _number(text: str) -> float:
    return int(text) if len(text) <= _DIGITS else float("inf")


def _whole(value: Any) -> Any:
    """Return the value with what is no letter in its strings replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value
