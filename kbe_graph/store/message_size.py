"""The size of messages: the embedded engine takes 16 MiB, and waits for ever for a larger one."""

import marshal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kbe_graph.errors import InputError

MOST = 15 << 20
PART = 4 << 20
DEEPEST = 100
LARGEST = 1 << 63
PLAIN = 2  # the last version of that form which writes what comes twice twice
_MIB = 1 << 20


def size(value: Any) -> int:
    """Return the bytes that a value takes at most.

    Python's own form of plain values is made many times faster than they are counted here, and takes no fewer bytes:
    as many for a text, a number or a list, three fewer at most for a mapping of 65,536 names.
    """
    try:
        return len(marshal.dumps(value, PLAIN))
    except ValueError:  # no plain value, such as a date
        return len(repr(value).encode(errors="surrogatepass"))


def parts(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Give rows in lists that fit a message; raises InputError for a row that fits none."""
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
    """Return the bytes of a row; raises InputError, which names it, where it fits no message."""
    bytes_ = size(row)
    if bytes_ > MOST:
        raise InputError(f"{_name(row)} has {_words(bytes_)}; shorten it or leave it out")
    return bytes_


def refuse_large(parameters: Mapping[str, Any]) -> None:
    """Raise InputError where the parameters of a statement fit no message."""
    bytes_ = size(parameters)
    if bytes_ > MOST:
        raise InputError(f"a request to the graph has {_words(bytes_)}; ask for less")


def refuse_unfit(value: Any, *, depth: int = 0) -> None:
    """Raise InputError if a text or a parameter of a query has a value that no message can hold, whatever its size."""
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
