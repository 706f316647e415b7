"""The mini set of a release: a tenth of its questions that agrees with the whole (MDK12-Bench, arXiv 2504.05782)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from kbe_graph.release.parallel import FormRow, features, matched
from kbe_graph.statistics.intervals import LEAST_CLUSTERS, Floats
from kbe_graph.statistics.splits import WithInterval

DRAWS = 1000


class Agreement(NamedTuple):
    """Spearman's rank correlation of the models on a mini set and on the whole, and each one's difference."""

    rank: WithInterval
    differences: Sequence[WithInterval]
    """Accuracy on the mini set minus accuracy on the whole, by model."""


def mini(rows: Sequence[FormRow], share: float = 0.1, *, seed: int = 0) -> list[str]:
    """Choose a share of the questions: even over shape, depth and difficulty, with each relation family and category.

    The set is larger than the share if that is needed to have each of them.
    """
    had: set[str] = set()
    first = {}
    for row in np.random.default_rng(seed).permutation(len(rows)).tolist():
        own = {f"family {rows[row].family}", f"category {rows[row].category}"}
        if not own <= had:
            first[row] = 0
        had |= own
    share = max(share, len(first) / max(len(rows), 1))
    form_of = matched(features(rows), (share, 1 - share), seed=seed, fixed=first)
    return [row.id for row, form in zip(rows, form_of, strict=True) if form == 0]


def agreement(responses: ArrayLike, chosen: ArrayLike, *, seed: int = 0) -> Agreement:
    """Compare models' accuracies on the chosen questions and on all, with 95 % intervals from a bootstrap.

    ``responses`` has one row per model and one column per question, NaN if it was not asked. No intervals with fewer
    than ten chosen questions.
    """
    answers, inside = np.asarray(responses, dtype=float), np.asarray(chosen, dtype=bool)
    draw = np.random.default_rng(seed)
    ones = np.ones((1, answers.shape[1]))
    weights = np.zeros((DRAWS, answers.shape[1]))
    for part in (inside, ~inside):  # each part keeps its size
        if number := int(part.sum()):
            weights[:, part] = draw.multinomial(number, np.full(number, 1 / number), size=DRAWS)
    value, drawn = (_figures(answers, inside, each) for each in (ones, weights))
    if inside.sum() < LEAST_CLUSTERS:
        drawn = np.full_like(drawn, np.nan)
    rank, *differences = (_with_interval(float(own[0]), draws) for own, draws in zip(value, drawn, strict=True))
    return Agreement(rank, differences)


def _with_interval(value: float, drawn: Floats) -> WithInterval:
    low, high = np.quantile(drawn[np.isfinite(drawn)], (0.025, 0.975)) if np.isfinite(drawn).any() else (np.nan, np.nan)
    return WithInterval(value, float(min(low, value)), float(max(high, value)))


def _figures(answers: Floats, inside: NDArray[np.bool_], weights: Floats) -> Floats:
    asked, right = (~np.isnan(answers)).astype(float).T, np.nan_to_num(answers).T
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = weights @ right / (weights @ asked)
        own = (weights * inside) @ right / ((weights * inside) @ asked)
    ranks = [pd.DataFrame(each).rank(axis=1) for each in (own, whole)]
    return np.vstack([ranks[0].corrwith(ranks[1], axis=1).to_numpy(dtype=float), (own - whole).T])
