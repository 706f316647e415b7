"""The values of a report, which its page and its files show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.evaluate.guess import Guesses
from kbe_graph.evaluate.guessers import RAW_ROW, RESELECTED_ROW
from kbe_graph.evaluate.item_table import ItemTable
from kbe_graph.evaluate.memory_table import MemoryRow
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.evaluate.results import Results
from kbe_graph.evaluate.surface import SurfaceTable, VariantCount
from kbe_graph.models.call_summary import Summary
from kbe_graph.report.sample_story import SampleStory
from kbe_graph.report.stages import FunnelStage
from kbe_graph.statistics.shares import FEWEST, count_text
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import Alternative, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


Cell = str | int | float | None


def row_order(row: str) -> tuple[object, ...]:
    """Return the sort key of a row: raw, re-selected, then hop by hop."""
    return row != RAW_ROW, row != RESELECTED_ROW, len(row), row


def most_questions(shares: Sequence[AccuracyRow], row: str) -> int:
    """Return the largest number of questions of a row that any model has judged answers to."""
    return max(share.questions for share in shares if (share.row, share.samples) == (row, "all"))


class FlatTable(NamedTuple):
    """A table whose name is also its file name; empty cells are None."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


class NamedShare(NamedTuple):
    """How many questions of a row, kept or not, models were asked without the picture, and how many they named."""

    row: str
    asked: int
    named: int
    share: float
    models: str


class RelationGrowth(NamedTuple):
    """The number of distinct relations in the key subgraphs of a row."""

    benchmark: str
    row: str
    relations: int


class DifficultyBar(NamedTuple):
    """The number of questions of a row that exactly ``failing`` models fail."""

    row: str
    failing: int
    questions: int


class JudgeFigure(NamedTuple):
    """How many of a model's answers are right by a judge, right by strict match, and judged the same by both."""

    model: str
    judge: str
    answers: int
    by_judge: int
    by_match: int
    agree: int


class TableColumn(NamedTuple):
    """A column of a table in the paper's layout: the benchmark (empty for none) and the name."""

    benchmark: str
    name: str


class TableCell(NamedTuple):
    """A cell of a table in the paper's layout: this workspace's value, its interval, and the paper's value."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int | None = None
    published: str = ""

    @property
    def is_few(self) -> bool:
        """Whether the cell covers too few questions to show anything."""
        return self.questions is not None and self.questions < FEWEST

    @property
    def text(self) -> str:
        """This workspace's value as a page shows it; a share of few questions becomes a count."""
        if self.value is None or not isinstance(self.value, float):
            return "" if self.value is None else str(self.value)
        if self.is_few and self.questions and self.low is not None:
            return count_text(self.value / 100, self.questions)
        return f"{self.value:.{0 if self.is_few else 2}f}"

    @property
    def difference(self) -> float | None:
        """This workspace's value minus the published one, if both are numbers."""
        try:
            return None if self.value is None else round(self.value - float(self.published), 4)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper; ``note`` qualifies this workspace's figures in it, or states why there are none."""

    number: int
    title: str
    place: str
    rows: tuple[str, ...]
    columns: tuple[TableColumn, ...]
    cells: Mapping[tuple[str, TableColumn], TableCell]
    note: str

    @property
    def benchmarks(self) -> list[tuple[str, int]]:
        """The benchmarks above the columns, each with its number of columns."""
        return [(name, len(list(group))) for name, group in groupby(column.benchmark for column in self.columns)]

    @property
    def has_values(self) -> bool:
        """Whether any cell has a value of this workspace."""
        return any(cell.value is not None for cell in self.cells.values())

    @property
    def has_few(self) -> bool:
        """Whether any cell covers too few questions."""
        return any(cell.is_few for cell in self.cells.values())


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The sources of a report: a run's kept questions and the raw ones, with samples, answers and counts.

    ``status`` holds the counts of ``work.status``; ``answers`` is a frame of ``answers_frame``; ``pictures`` maps
    sample ids to files. ``judge`` is the one whose verdicts count, None for all. ``named`` holds models' answers
    without the picture, ``alternatives`` the answers that other pictures would give, both by question id.
    ``variant_counts`` count the perturbed questions.
    """

    run: str | None
    samples: Mapping[str, Sample]
    questions: Sequence[Question]
    answers: "pd.DataFrame"
    status: Mapping[str, Any]
    guesses: Guesses | None = None
    costs: Summary | None = None
    pictures: Mapping[str, tuple[Path, ...]] | None = None
    judge: str | None = None
    named: Mapping[str, Sequence[StoredGuess]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)
    variant_counts: Sequence[VariantCount] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """The content of a report; parts without figures are empty.

    ``results`` and ``item_table`` are the figures of the evaluation; ``memory`` only has models that were also asked
    paraphrases; ``surface`` is about perturbed questions. The paper's tables, the difficulty and the items use the
    verdicts of ``judge``, one of ``all_judges``.
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
    items: tuple[SampleStory, ...]
    judge: str = ""
    all_judges: tuple[str, ...] = ()
    named: tuple[NamedShare, ...] = ()
    surface: SurfaceTable = field(default_factory=SurfaceTable)

    @property
    def accuracy(self) -> tuple[AccuracyRow, ...]:
        """The accuracy on unchanged questions."""
        return tuple(row for row in self.results.accuracy if row.variant == IMAGE)

    @property
    def drawn_accuracy(self) -> tuple[AccuracyRow, ...]:
        """The accuracy rows with enough questions to be charted."""
        return tuple(row for row in self.accuracy if row.questions >= FEWEST)
