"""How values and signatures look in a session or a notebook: short, and without what a reader takes for granted."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import partialmethod
from inspect import Parameter, Signature, formatannotation, isfunction, signature
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

Kind = TypeVar("Kind")
WIDTH = 100
PART = 100  # characters of a text or a collection
ROWS = 12
_PLACE = re.compile(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])")


def brief(shown: str = "", *, table: str = "") -> Callable[[type[Kind]], type[Kind]]:
    """Give a class of values a short representation: the ``shown`` fields, or by default all, that say something.

    A field that has its default or is empty says nothing. ``table`` is the field that holds the rows of a table to
    print below, a colon, and the columns of it.

    >>> from dataclasses import dataclass
    >>> @brief()
    ... @dataclass
    ... class Counted:
    ...     samples: int
    ...     reasons: tuple[str, ...] = ()
    >>> Counted(3)
    Counted(samples=3)
    """

    def represented(self: object) -> str:
        place, _, columns = table.partition(":")
        lines = [_line(self, (shown or place).split())]
        if table:
            lines += rows_below(_cells(getattr(self, place)[:ROWS], columns.split()), len(getattr(self, place)))
        return "\n".join(lines)

    def shorten(kind: type[Kind]) -> type[Kind]:
        kind.__repr__ = represented  # type: ignore[method-assign]
        _shorten_signatures(kind)
        return kind

    return shorten


def readable(face: Kind) -> Kind:
    """Shorten the signatures of a function, or of the methods of a class, and name its methods in its representation.

    >>> from pathlib import Path
    >>> @readable
    ... def load(file: Path | str) -> None: ...
    >>> signature(load)
    <SignatureLines (file: Path | str) -> None>
    """
    if not isinstance(face, type):
        _shorten_signature(face)
        return face
    _shorten_signatures(face)
    if "__repr__" not in vars(face):
        names = [name for name in vars(face) if not name.startswith("_")]
        words = f"<{face.__name__}: {', '.join(names)}>"
        face.__repr__ = partialmethod(_same, words)  # type: ignore[assignment]
    return face


def _same(_: object, words: str) -> str:
    return words


class SignatureLines(Signature):
    """A signature with a line for each parameter if it is long."""

    __slots__ = ()

    def __str__(self) -> str:
        words = super().__str__()
        if len(words) <= WIDTH:
            return words
        lines = list(map(str, self.parameters.values()))
        kinds = [each.kind for each in self.parameters.values()]
        if Parameter.KEYWORD_ONLY in kinds and Parameter.VAR_POSITIONAL not in kinds:
            lines.insert(kinds.index(Parameter.KEYWORD_ONLY), "*")
        given = "" if self.return_annotation is self.empty else f" -> {formatannotation(self.return_annotation)}"
        return "(" + "".join(f"\n    {line}," for line in lines) + f"\n){given}"


class _Words(str):
    """An annotation that prints as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _shorten_signatures(kind: type) -> None:
    for name, method in vars(kind).items():
        if isfunction(method) and (name == "__init__" or not name.startswith("_")):
            _shorten_signature(method)


def _shorten_signature(function: Any) -> None:
    full = signature(function)
    parameters = [each.replace(annotation=_words(each.annotation)) for each in full.parameters.values()]
    function.__signature__ = SignatureLines(parameters, return_annotation=_words(full.return_annotation))


def _words(annotation: Any) -> Any:
    """Write an annotation without the modules of its names."""
    if annotation is Signature.empty:
        return annotation
    return _Words(_PLACE.sub("", annotation.__qualname__ if isinstance(annotation, type) else str(annotation)))


def _line(value: Any, shown: Sequence[str]) -> str:
    """Name the fields of a dataclass or a named tuple that differ from their default and are not empty."""
    defaults = (
        {each.name: _default(each) for each in fields(value) if each.repr}
        if is_dataclass(value)
        else {name: value._field_defaults.get(name, MISSING) for name in value._fields}
    )
    parts = []
    for place in shown or defaults:
        content = attrgetter(place)(value)
        content = content() if callable(content) else content
        is_empty = content is None or (hasattr(content, "__len__") and not len(content))
        if not is_empty and (hasattr(content, "columns") or content != defaults.get(place, MISSING)):
            parts.append(f"{place.partition('.')[0]}={_cut(content)}")
    return f"{type(value).__name__}({', '.join(parts)})"


def _default(each: "Field[Any]") -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _cut(content: Any) -> str:
    """Represent the content of a field: the beginning of a text, the first parts of a collection and their number."""
    if isinstance(content, str | Path):
        return repr(str(content) if len(str(content)) <= PART else f"{str(content)[: PART - 1]}…")
    if isinstance(content, float):
        return f"{content:.4g}"
    if hasattr(content, "columns"):
        return f"<{len(content)} rows>"
    if isinstance(content, Mapping):
        return _some(content.values(), [f"{_cut(key)}: {_cut(part)}" for key, part in content.items()], "{}")
    if isinstance(content, list | set | frozenset) or type(content) is tuple:
        return _some(content, list(map(_cut, content)), "[]" if isinstance(content, list) else "()")
    return repr(content)


def _some(values: Collection[object], parts: Sequence[str], brackets: str) -> str:
    lengths = accumulate(len(part) + 2 for part in parts)
    shown = [part for part, length in zip(parts, lengths, strict=True) if length <= PART and "\n" not in part]
    if parts and not shown:
        return number_of(values)
    more = [f"… {len(parts) - len(shown)} more"] if len(shown) < len(parts) else []
    more += [""] if brackets == "()" and len(parts) == 1 else []
    return ", ".join(shown + more).join(brackets)


def number_of(values: Collection[object]) -> str:
    """Tell how many values of which class there are."""
    return f"<{len(values)} value{'s' if len(values) > 1 else ''} of {type(next(iter(values))).__name__}>"


def _cells(rows: Sequence[object], columns: Sequence[str]) -> list[str]:
    """Align the columns of rows, which are objects or mappings, below a header."""
    cells = [[name.rpartition(".")[2] for name in columns]]
    for row in rows:
        values = [row.get(name) if isinstance(row, Mapping) else attrgetter(name)(row) for name in columns]
        cells.append(["" if value is None else _cut(value).strip("'\"") for value in values])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells if rows]


def rows_below(lines: Sequence[str], number: int, most: int = ROWS) -> list[str]:
    """Indent the lines of the first rows of ``number``, and tell how many more there are."""
    return [f"  {line}" for line in (*lines, *([f"… {number - most} more"] if number > most else []))]
