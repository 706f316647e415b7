"""Sequences of values that also give a typed pandas frame."""

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, Self, TypeVar

from kbe_graph.types import Triplet

if TYPE_CHECKING:
    import pandas as pd

Value = TypeVar("Value")
SHOWN = 20  # rows that a notebook shows

# The columns of frames: a field, with its type unless it is a string, and after "=" where it stands if not by its name.
SAMPLE = "id benchmark split question answer answers:object image image_id"
QUESTION = (
    "id sample run hop:int64 kind text answer aliases:object concept parent status reason difficulty:int64 "
    "maker=provenance.maker pattern=provenance.pattern"
)
TRIPLET = (
    "sample subject=triplet.subject.label relation=triplet.relation object=triplet.object.label graph=triplet.graph "
    "source=triplet.source source_ref=triplet.source_ref evidence=triplet.evidence key:bool run hop:int64"
)
CANDIDATE = (
    "question sample run hop:int64 subject relation object object_id status reason detail source source_ref "
    "faulty:boolean type grounding"
)
PREDICTION = (
    "model question text run:int64 variant asked tokens:Int64 verdict judge votes:object reply read_by "
    "other_verdicts:object"
)
FORM = "question form text options:object answers:object maker"


class SampleTriplet(NamedTuple):
    """A triplet of a sample: from its own graph (``run`` is empty), or explored by a run at a hop.

    ``key`` is True if it is on the key path of the raw question, or of the question of the run at that hop.
    """

    sample: str
    triplet: Triplet
    key: bool = False
    run: str = ""
    hop: int = 0


class Values(tuple[Value, ...], Generic[Value]):  # noqa: SLOT001 - it has columns
    """Values in a fixed order. ``frame`` returns them as a pandas DataFrame; a notebook shows the first rows.

    >>> questions = work.questions(run="raw")
    >>> len(questions) == len(questions.frame())
    True
    >>> questions.frame().dtypes["hop"]
    dtype('int64')
    """

    columns: str

    def __new__(cls, values: Iterable[Value], columns: str) -> Self:
        """Take the values and the columns of their frame."""
        made = super().__new__(cls, values)
        made.columns = columns
        return made

    def frame(self) -> "pd.DataFrame":
        """Return a DataFrame with one row per value: text as ``string``, numbers as ``int64``, lists as objects."""
        import pandas as pd

        series = {}
        for column in self.columns.split():
            field, _, dtype = column.partition(":")
            name, _, place = field.partition("=")
            series[name] = pd.Series(list(map(attrgetter(place or name), self)), dtype=dtype or "string")
        return pd.DataFrame(series)

    def __repr__(self) -> str:
        return f"<{len(self)} values of {type(self[0]).__name__}>" if self else "<no values>"

    def _repr_html_(self) -> str:
        return f"{self.frame().head(SHOWN).to_html()}<p>{min(SHOWN, len(self))} of {len(self)} rows</p>"
