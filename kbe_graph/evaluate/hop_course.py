"""What becomes of a model from hop to hop: trend, failures handed on, right answers that have no ground."""

from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.accuracy import Samples
from kbe_graph.evaluate.outcomes import IMAGE, MODEL, earlier, groups
from kbe_graph.guess.riddle import RESELECTED_ROW
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.statistics.trend import correlation, trend

if TYPE_CHECKING:
    import pandas as pd


class TrendRow(NamedTuple):
    """How much accuracy changes a hop, from raw on, with its 95 % interval and the p of there being no trend."""

    samples: Samples
    benchmark: str
    model: str
    questions: int
    slope: float
    low: float
    high: float
    p: float


class DifficultyRow(NamedTuple):
    """How the number of key edges, |E_K|, goes with being wrong (Pearson's r), with its 95 % interval."""

    benchmark: str
    model: str
    questions: int
    correlation: float
    low: float
    high: float


class ChainRow(NamedTuple):
    """The share of a row that is right where the question it grew from is right, or ``earlier`` is wrong."""

    benchmark: str
    model: str
    row: str
    earlier: str
    questions: int
    right: float
    low: float
    high: float


class Unearned(NamedTuple):
    """A question that a model has right while it has the one that it grew from wrong: a guess, or a memory."""

    benchmark: str
    model: str
    question: str
    row: str
    earlier_row: str


def trend_rows(outcomes: "pd.DataFrame", samples: Samples, *, seed: int = 0) -> list[TrendRow]:
    """Return the trend over raw and explored questions of each model that was asked at more than one hop."""
    asked = outcomes[(outcomes["variant"] == IMAGE) & (outcomes["row"] != RESELECTED_ROW)]
    return [
        TrendRow(samples, benchmark, model, len(group), *trend(group["hop"], group["right"], group["image"], seed=seed))
        for (benchmark, model), group in groups(asked, MODEL)
        if len(set(group["hop"])) > 1
    ]


def difficulty_rows(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[DifficultyRow]:
    """Return how well |E_K| predicts each model's errors, over all questions of all rows."""
    rows = []
    for (benchmark, model), group in groups(outcomes[outcomes["variant"] == IMAGE], MODEL):
        figures = correlation(group["key_edges"], 1 - group["right"], group["image"], seed=seed)
        rows.append(DifficultyRow(benchmark, model, len(group), *figures))
    return rows


def chain_rows(outcomes: "pd.DataFrame") -> list[ChainRow]:
    """Return the share of right hops given the one before; right in exactly half of the runs counts as neither."""
    chain = earlier(outcomes)
    chain = chain[chain["earlier_right"] != 0.5].assign(earlier=lambda frame: _verdict(frame["earlier_right"] > 0.5))
    rows = []
    for (benchmark, model, row, verdict), group in groups(chain, [*MODEL, "row", "earlier"]):
        ends = clustered_wilson(group["right"], group["image"])
        rows.append(ChainRow(benchmark, model, row, verdict, len(group), float(group["right"].mean()), *ends))
    return sorted(rows, key=lambda row: (row.benchmark, row.model, len(row.row), row.row, row.earlier))


def _verdict(right: "pd.Series[bool]") -> "pd.Series[str]":
    return right.map({True: "right", False: "wrong"})


def unearned(outcomes: "pd.DataFrame") -> list[Unearned]:
    """Return the questions right in most runs whose own earlier question is wrong in most, by model."""
    chain = earlier(outcomes)
    chain = chain[(chain["right"] > 0.5) & (chain["earlier_right"] < 0.5)]
    columns = [*MODEL, "question", "row", "earlier_row"]
    return [Unearned(*row) for row in chain[columns].itertuples(index=False)]
