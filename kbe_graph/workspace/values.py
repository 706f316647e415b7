"""Sequences of values that also give a typed pandas frame: each column with its type and meaning."""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload

from kbe_graph.types import Triplet

if TYPE_CHECKING:
    import pandas as pd

Value = TypeVar("Value")
SHOWN = 20  # rows that a notebook shows


class Column(NamedTuple):
    """A column of a frame: its name, its pandas type, and its cell for a value."""

    name: str
    dtype: str
    cell: Callable[[Any], object]


class SampleTriplet(NamedTuple):
    """A triplet of a sample: from its own graph (``run`` is empty), or explored by a run at a hop.

    ``key`` is True if it is on the key path of the raw question, or of the question of the run at that hop.
    """

    sample: str
    triplet: Triplet
    key: bool = False
    run: str = ""
    hop: int = 0


def _text(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name.rpartition(".")[2], "string", attrgetter(name)) for name in names)


def _number(name: str) -> Column:
    return Column(name, "int64", attrgetter(name))


SAMPLE = (
    *_text("id", "benchmark", "split", "question", "answer"),
    Column("answers", "object", attrgetter("answers")),
    *_text("image", "image_id"),
)
QUESTION = (
    *_text("id", "sample", "run"),
    _number("hop"),
    *_text("kind", "text", "answer"),
    Column("aliases", "object", attrgetter("aliases")),
    *_text("concept", "parent", "status", "reason"),
    _number("difficulty"),
    *_text("provenance.maker", "provenance.pattern"),
)
TRIPLET = (
    *_text("sample"),
    Column("subject", "string", attrgetter("triplet.subject.label")),
    *_text("triplet.relation"),
    Column("object", "string", attrgetter("triplet.object.label")),
    *_text("triplet.graph", "triplet.source", "triplet.source_ref", "triplet.evidence"),
    Column("key", "bool", attrgetter("key")),
    *_text("run"),
    _number("hop"),
)
CANDIDATE = (
    *_text("question", "sample", "run"),
    _number("hop"),
    *_text("subject", "relation", "object", "object_id"),
    *_text("status", "reason", "detail", "source", "source_ref"),
    Column("faulty", "boolean", attrgetter("faulty")),
    *_text("type", "grounding"),
)


PREDICTION = (
    *_text("model", "question", "text"),
    _number("run"),
    *_text("variant", "asked"),
    Column("tokens", "Int64", attrgetter("tokens")),
    *_text("verdict", "judge"),
    Column("votes", "object", attrgetter("votes")),
    *_text("reply", "read_by"),
    Column("other_verdicts", "object", attrgetter("other_verdicts")),
)
FORM = (
    *_text("question", "form", "text"),
    Column("options", "object", attrgetter("options")),
    Column("answers", "object", attrgetter("answers")),
    *_text("maker"),
)


class Values(Sequence[Value], Generic[Value]):
    """Values in a fixed order. ``frame`` returns them as a pandas DataFrame; a notebook shows the first rows.

    >>> questions = work.questions(run="raw")
    >>> len(questions) == len(questions.frame())
    True
    >>> questions.frame().dtypes["hop"]
    dtype('int64')
    """

    def __init__(self, values: Sequence[Value], columns: Sequence[Column]) -> None:
        self._values, self._columns = tuple(values), columns

    def frame(self) -> "pd.DataFrame":
        """Return a DataFrame with one row per value: text as ``string``, numbers as ``int64``, lists as objects."""
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Series([cell(value) for value in self._values], dtype=dtype)
                for name, dtype, cell in self._columns
            }
        )

    def head(self, count: int = 5) -> "Values[Value]":
        """Return the first values, like ``values[:count]``.

        >>> len(work.questions(run="raw").head(2))
        2
        """
        return self[:count]

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> "Values[Value]": ...
    def __getitem__(self, place: int | slice) -> "Value | Values[Value]":
        if isinstance(place, slice):
            return Values(self._values[place], self._columns)
        return self._values[place]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    def __repr__(self) -> str:
        kind = type(self._values[0]).__name__ if self._values else "value"
        return f"<{len(self)} values of {kind}>" if self._values else "<no values>"

    def _repr_html_(self) -> str:
        return f"{self[:SHOWN].frame().to_html()}<p>{min(SHOWN, len(self))} of {len(self)} rows</p>"
