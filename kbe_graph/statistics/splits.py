"""Scores of questions that were chosen by models' answers, on answers that had no part in the choice."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kbe_graph.statistics import Z95
from kbe_graph.statistics.intervals import Floats, cluster_sums

FOLDS = 5  # a fifth of the answers is held out, so that the choice is nearly as well informed as with all
Choose = Callable[[Floats], NDArray[np.bool_]]


class WithInterval(NamedTuple):
    """A figure with its 95 % interval; NaN if no chosen question was asked."""

    value: float
    low: float
    high: float


def with_error(value: float, error: float) -> WithInterval:
    """Return a figure with the 95 % interval of its standard error."""
    return WithInterval(value, value - Z95 * error, value + Z95 * error)


class HeldOut(NamedTuple):
    """For each model: its score on the answers that chose, on held-out answers, and the first minus the second."""

    naive: Sequence[WithInterval]
    held_out: Sequence[WithInterval]
    bias: Sequence[WithInterval]


def held_out_scores(
    responses: ArrayLike,
    choose: Choose,
    *,
    splits: int = 50,
    seed: int = 0,
    models: Sequence[str] | None = None,
    clusters: ArrayLike | None = None,
) -> HeldOut:
    """Score chosen questions by repeated splits of the answers (SIREN, arXiv 2605.05973).

    ``responses`` has one row per model or asking and one column per question: 1 right, 0 wrong, NaN not asked.
    ``choose`` takes some rows and returns which questions they choose. Each split chooses by four fifths of the rows
    and scores both these (naive) and the others (held out). The held-out score estimates what fresh answers to
    questions chosen by so many answers would score. Rows with the same name in ``models`` are one model; the result
    has the models in order of first appearance. Intervals are over questions, or over ``clusters`` of them.
    """
    answers = np.asarray(responses, dtype=float)
    groups = np.arange(answers.shape[1]) if clusters is None else np.asarray(clusters)
    names = list(models) if models is not None else [str(row) for row in range(len(answers))]
    rows_of = [np.array([name == model for name in names]) for model in dict.fromkeys(names)]
    naive, held = _Scores(answers.shape), _Scores(answers.shape)
    for fold in _folds(len(answers), splits, seed):
        chosen = choose(answers[~fold])
        held.add(answers, chosen, fold)
        naive.add(answers, chosen, ~fold)
    parts = [(*naive.mean_over(rows), *held.mean_over(rows)) for rows in rows_of]
    return HeldOut(
        [_estimate(score, shares, groups) for score, shares, _, _ in parts],
        [_estimate(score, shares, groups) for _, _, score, shares in parts],
        [_estimate(high - low, more - less, groups) for high, more, low, less in parts],
    )


def _folds(rows: int, splits: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Yield which rows each split holds out: whole partitions, so that each row is held out equally often."""
    if rows < 2:
        raise ValueError(f"{rows} row of answers cannot be split: at least two models or askings are needed")
    draw, folds = np.random.default_rng(seed), min(FOLDS, rows)
    repeats = 1 if rows <= FOLDS else max(1, round(splits / folds))  # one row a fold: every partition is the same
    for _ in range(repeats):
        order = draw.permutation(rows)
        yield from (order % folds == fold for fold in range(folds))


class _Scores:
    """Sums of rows' scores over splits, and of what each question adds to them."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.scores, self.shares, self.times = np.zeros(shape[0]), np.zeros(shape), np.zeros(shape[0])

    def add(self, answers: Floats, chosen: NDArray[np.bool_], rows: NDArray[np.bool_]) -> None:
        counted = chosen & ~np.isnan(answers[rows])
        numbers = counted.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(counted, answers[rows], 0.0).sum(axis=1) / numbers
            self.shares[rows] += np.where(counted, answers[rows] - means[:, None], 0.0) / numbers[:, None]
        self.scores[rows] += means
        self.times[rows] += 1

    def mean_over(self, rows: NDArray[np.bool_]) -> tuple[float, Floats]:
        times = self.times[rows].sum()
        return float(self.scores[rows].sum() / times), self.shares[rows].sum(axis=0) / times


def _estimate(value: float, shares: Floats, groups: ArrayLike) -> WithInterval:
    error = float(np.sqrt((cluster_sums(shares[:, None], groups) ** 2).sum()))
    return with_error(value, error)
