"""What a report tells, as plain values: what the page draws, and what the files hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.evaluate.item_table import ItemTable
from kbe_graph.evaluate.memory_table import MemoryRow
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.evaluate.results import Results
from kbe_graph.guess.figures import Guesses
from kbe_graph.models.summary import Summary
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import pandas as pd


Cell = str | int | float | None


class FlatTable(NamedTuple):
    """A table with a name that a file can have; a cell that has nothing is None."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


class FunnelStage(NamedTuple):
    """How many of those that were tried are kept at a stage, and how many others were dropped for each reason."""

    stage: str
    kept: int
    tried: int
    reasons: Mapping[str, int]


class RelationGrowth(NamedTuple):
    """How many different relations the key subgraphs of a row hold."""

    benchmark: str
    row: str
    relations: int


class DifficultyBar(NamedTuple):
    """How many questions of a row so many of the models fail."""

    row: str
    failing: int
    questions: int


class JudgeFigure(NamedTuple):
    """Of a model's answers: how many the judge and strict match call right, and how often both say the same."""

    model: str
    judges: str
    answers: int
    by_judge: int
    by_match: int
    agree: int


class TableColumn(NamedTuple):
    """A column of a table in the paper's layout: the benchmark, which is empty where there is none, and the name."""

    benchmark: str
    name: str


class TableCell(NamedTuple):
    """A cell of a table in the paper's layout: this workspace's value, its interval, and what the paper publishes."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int | None = None
    published: str = ""

    @property
    def difference(self) -> float | None:
        """This workspace's value less the published one, where both are numbers."""
        try:
            return None if self.value is None else round(self.value - float(self.published), 4)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper; ``note`` says in a line what this workspace has of it, or why it has nothing."""

    number: int
    title: str
    place: str
    rows: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    cells: Mapping[tuple[str, TableColumn], TableCell]
    note: str

    @property
    def benchmarks(self) -> list[tuple[str, int]]:
        """The benchmarks that stand over the columns, each with how many columns it has."""
        return [(name, len(list(group))) for name, group in groupby(column.benchmark for column in self.columns)]

    @property
    def has_values(self) -> bool:
        """Whether this workspace has a value for any cell."""
        return any(cell.value is not None for cell in self.cells.values())


class ItemAnswer(NamedTuple):
    """What a model answered to a question, and what a judge said of it."""

    question: str
    model: str
    variant: str
    run: int
    text: str
    verdict: str
    judge: str


@dataclass(frozen=True, slots=True)
class ReportItem:
    """A sample with its chain of questions, its own first, its picture's file, and what models answered."""

    sample: Sample
    questions: tuple[Question, ...]
    answers: tuple[ItemAnswer, ...] = ()
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class ReportSource:
    """What a report is made of: the raw questions and those kept of a run, and what is known of them.

    ``status`` are the counts as ``work.status`` gives them; ``answers`` is a frame as ``answers_frame`` makes
    it; ``pictures`` are files by the sample's id.
    """

    run: str | None
    samples: Mapping[str, Sample]
    questions: Sequence[Question]
    answers: "pd.DataFrame"
    status: Mapping[str, Any]
    guesses: Guesses | None = None
    costs: Summary | None = None
    pictures: Mapping[str, Path] | None = None


@dataclass(frozen=True, slots=True)
class ReportData:
    """All that a report tells. A part that a workspace has nothing for is empty.

    ``results`` and ``item_table`` are the figures of the evaluation; ``memory`` has the models alone that were asked in
    other words too.
    """

    run: str | None
    made_by: str
    models: tuple[str, ...]
    funnel: tuple[FunnelStage, ...]
    tables: tuple[PaperTable, ...]
    results: Results
    relations: tuple[RelationGrowth, ...]
    difficulty: tuple[DifficultyBar, ...]
    item_table: ItemTable
    memory: tuple[MemoryRow, ...]
    variety: "pd.DataFrame"
    guesses: Guesses | None
    judges: tuple[JudgeFigure, ...]
    costs: Summary | None
    items: tuple[ReportItem, ...]

    @property
    def accuracy(self) -> tuple[AccuracyRow, ...]:
        """The accuracy at what was asked as it stands."""
        return tuple(row for row in self.results.accuracy if row.variant == IMAGE)
