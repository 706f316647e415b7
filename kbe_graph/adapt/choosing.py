"""Which questions grow, by the models' answers; how right the models are; and whether the loop has arrived."""

from collections.abc import Iterable, Sequence
from math import ceil, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics.intervals import Floats, clustered_wilson
from kbe_graph.statistics.splits import held_out_scores
from kbe_graph.types import Prediction, RoundFigures

ALL = "all"
REACHED = "the accuracy lies in the band"
BELOW = "the accuracy is below the band, and growing makes questions harder"
UNSURE = "the interval is wider than the band leaves room for; more questions would narrow it"
NOTHING = "no question that the models answer right can grow"
NO_MORE = "no more rounds; run the command again to go on"


class RoundAnswers(NamedTuple):
    """Answers of a round: a row for each model and asking, a column for each question; 1 right, 0 wrong, NaN none.

    ``models`` names the model of each row, ``pictures`` the picture of each question.
    """

    right: Floats
    models: Sequence[str]
    pictures: Sequence[str]

    @property
    def by_question(self) -> Floats:
        """The share of right answers to each question; NaN without an answer."""
        return mean_of(self.right)

    def of(self, model: str) -> Floats:
        """Return the share of a model's right answers to each question."""
        return mean_of(self.right[[each == model for each in self.models]])


def answers_of(predictions: Iterable[Prediction], questions: Sequence[str], pictures: Sequence[str]) -> RoundAnswers:
    """Arrange judged predictions to questions (ids)."""
    judged = [each for each in predictions if each.verdict]
    rows = {key: place for place, key in enumerate(sorted({(each.model, each.run) for each in judged}))}
    places = {id_: place for place, id_ in enumerate(questions)}
    right = np.full((len(rows), len(questions)), np.nan)
    for each in judged:
        right[rows[each.model, each.run], places[each.question]] = each.verdict == "right"
    return RoundAnswers(right, [model for model, _ in rows], pictures)


def mean_of(rows: Floats) -> Floats:
    """Return the mean of each column, without what was not asked; NaN if nothing was."""
    counts = (~np.isnan(rows)).sum(axis=0)
    return np.where(counts, np.nansum(rows, axis=0) / np.maximum(counts, 1), np.nan)


def to_grow(right: Floats, can: NDArray[np.bool_], middle: float) -> NDArray[np.bool_]:
    """Choose, of the questions that can grow and that a strict majority of the answers has right, those that grow.

    No more are chosen than bring the accuracy to the middle of the band if no model answers the new ones. Those that
    more answers have right come first, then the order of the columns.
    """
    shares = mean_of(right)
    asked = ~np.isnan(shares)
    most = ceil((shares[asked].mean() - middle) * asked.sum()) if asked.any() else 0
    order = np.argsort(-np.nan_to_num(shares), kind="stable")
    wanted = [place for place in order if can[place] and shares[place] > 0.5]
    chosen = np.zeros(len(shares), dtype=bool)
    chosen[wanted[: max(0, most)]] = True
    return chosen


def figures_of(answers: RoundAnswers) -> tuple[RoundFigures, ...]:
    """Compute the accuracy of each model, and first that of all."""
    rows = [(ALL, answers.by_question), *((name, answers.of(name)) for name in dict.fromkeys(answers.models))]
    return tuple(_figures(name, shares, np.asarray(answers.pictures)) for name, shares in rows)


def _figures(name: str, shares: Floats, pictures: NDArray[np.str_]) -> RoundFigures:
    asked = ~np.isnan(shares)
    values = shares[asked]
    return RoundFigures(name, len(values), float(values.mean()), *clustered_wilson(values, pictures[asked]))


def with_bias(
    figures: Sequence[RoundFigures], answers: RoundAnswers, can: NDArray[np.bool_], middle: float
) -> tuple[RoundFigures, ...]:
    """Add what the answers would say too much of the questions that they leave, by repeated splits of the answers."""
    if len(answers.right) < 2:
        return tuple(figures)
    held = held_out_scores(
        answers.right,
        lambda rows: ~to_grow(rows, can, middle),
        models=answers.models,
        clusters=answers.pictures,
    )
    parts = zip(dict.fromkeys(answers.models), held.naive, held.held_out, held.bias, strict=True)
    measured = {name: (naive.value, held_out.value, *bias) for name, naive, held_out, bias in parts}
    return tuple(
        each._replace(**_bias_fields(measured[each.model])) if each.model in measured else each for each in figures
    )


def _bias_fields(values: Sequence[float]) -> dict[str, Any]:
    names = ("naive", "held_out", "bias", "bias_low", "bias_high")
    return {name: value for name, value in zip(names, values, strict=True) if isfinite(value)}


def why_stop(accuracy: RoundFigures, least: float, most: float) -> str:
    """Say why the loop ends at this accuracy of all models; empty if questions are to grow."""
    if least <= accuracy.low and accuracy.high <= most:
        return REACHED
    if accuracy.accuracy > (least + most) / 2:
        return ""
    return BELOW if accuracy.high < least else UNSURE
