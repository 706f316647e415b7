"""Limits on message size: the embedded engine accepts 16 MiB, and hangs on a larger message."""

import marshal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kbe_graph.errors import InputError

MOST = 15 << 20
PART = 4 << 20
DEEPEST = 100
LARGEST = 1 << 63
PLAIN = 2  # the last version of marshal's format that writes repeated values in full
_MIB = 1 << 20


def size(value: Any) -> int:
    """Return an upper bound of the bytes that a value takes in a message.

    Serialising with marshal is many times faster than counting here, and its size is an upper bound: equal for text,
    numbers and lists, and at most three bytes too small for a mapping of 65,536 names.
    """
    try:
        return len(marshal.dumps(value, PLAIN))
    except ValueError:  # not a plain value, for example a date
        return len(repr(value).encode(errors="surrogatepass"))


def parts(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Yield rows in lists that fit in one message each; raises InputError if a single row does not fit."""
    part: list[Mapping[str, Any]] = []
    filled = 0
    for row in rows:
        more = row_size(row)
        if part and filled + more > PART:
            yield part
            part, filled = [], 0
        part.append(row)
        filled += more
    if part:
        yield part


def row_size(row: Mapping[str, Any]) -> int:
    """Return the size of a row in bytes; raises InputError, naming the row, if it does not fit in a message."""
    bytes_ = size(row)
    if bytes_ > MOST:
        raise InputError(f"{_name(row)} has {_words(bytes_)}; shorten it or leave it out")
    return bytes_


def refuse_large(parameters: Mapping[str, Any]) -> None:
    """Raise InputError if the parameters of a statement do not fit in a message."""
    bytes_ = size(parameters)
    if bytes_ > MOST:
        raise InputError(f"a request to the graph has {_words(bytes_)}; ask for less")


def refuse_unfit(value: Any, *, depth: int = 0) -> None:
    """Raise InputError if a query or one of its parameters has a value that no message can hold, whatever its size."""
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise InputError("a query parameter cannot be an integer of more than 64 bits; give it as text")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"a query cannot contain half a character (a lone surrogate), as in {value[:30]!a}; remove it"
            ) from None
    if depth > DEEPEST:
        raise InputError(f"a query parameter cannot be nested deeper than {DEEPEST} lists; give a flatter parameter")
    if isinstance(value, Mapping):
        refuse_unfit([*value, *value.values()], depth=depth)
    elif isinstance(value, list | tuple):
        for inner in value:
            refuse_unfit(inner, depth=depth + 1)


def _name(row: Mapping[str, Any]) -> str:
    name = str(row.get("id") or row.get("subject") or "a row")
    return repr(name if len(name) <= 200 else f"{name[:200]}...")


def _words(bytes_: int) -> str:
    return f"{bytes_ / _MIB:.1f} MiB, and the limit of a request is {MOST // _MIB} MiB"
