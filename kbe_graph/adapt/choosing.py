"""Which questions grow, by the models' answers; how right the models are; and whether the loop has arrived."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kbe_graph.statistics.intervals import Floats, clustered_wilson
from kbe_graph.statistics.splits import held_out_scores
from kbe_graph.types import Prediction, Question, RoundFigures, Sample

ALL = "all"
REACHED = "the accuracy lies in the band"
BELOW = "the accuracy is below the band, and growing is meant to make questions harder"
UNSURE = "the interval is wider than the band leaves room for; more questions would narrow it"
NOTHING = "no question that the models answer right can grow"
NO_MORE = "no more rounds; run the command again to go on"


class RoundAnswers(NamedTuple):
    """Answers of a round: a row for each model and asking, a column for each question; 1 right, 0 wrong, NaN none.

    ``models`` names the model of each row, ``pairs`` are the samples and questions of the columns.
    """

    right: Floats
    models: Sequence[str]
    pairs: Sequence[tuple[Sample, Question]]

    @property
    def pictures(self) -> NDArray[np.str_]:
        """The picture of each question."""
        return np.array([sample.picture_key for sample, _ in self.pairs])

    @property
    def shares(self) -> Floats:
        """The share of right answers to each question; NaN without an answer."""
        return mean_of(self.right)


def answers_of(
    predictions: Iterable[Prediction], pairs: Sequence[tuple[Sample, Question]], twins: Mapping[str, str]
) -> RoundAnswers:
    """Arrange judged predictions to questions; one that has a twin (ids, each with its question's) is right with it."""
    places = {question.id: place for place, (_, question) in enumerate(pairs)}
    places |= {twin: places[question] for twin, question in twins.items() if question in places}
    judged = [each for each in predictions if each.verdict and each.question in places]
    rows = {key: place for place, key in enumerate(sorted({(each.model, each.run) for each in judged}))}
    right = np.full((len(rows), len(pairs)), np.nan)
    for each in judged:
        cell = rows[each.model, each.run], places[each.question]
        right[cell] = np.fmin(right[cell], each.verdict == "right")
    return RoundAnswers(right, [model for model, _ in rows], pairs)


def mean_of(rows: Floats) -> Floats:
    """Return the mean of each column, without what was not asked; NaN if nothing was."""
    counts = (~np.isnan(rows)).sum(axis=0)
    return np.where(counts, np.nansum(rows, axis=0) / np.maximum(counts, 1), np.nan)


def to_grow(right: Floats, can: NDArray[np.bool_], gap: float) -> NDArray[np.bool_]:
    """Choose, of the questions that can grow and that a strict majority of the answers has right, those that grow.

    They are at most the share ``gap`` of all that were asked. Those that more answers have right come first, then the
    order of the columns.
    """
    shares = mean_of(right)
    most = max(0, ceil(gap * (~np.isnan(shares)).sum()))
    order = np.argsort(-np.nan_to_num(shares), kind="stable")
    wanted = order[(can & (shares > 0.5))[order]]
    chosen = np.zeros(len(shares), dtype=bool)
    chosen[wanted[:most]] = True
    return chosen


def figures_of(answers: RoundAnswers) -> tuple[RoundFigures, ...]:
    """Compute the accuracy of each model, and first that of all."""
    figures = []
    for name in dict.fromkeys((ALL, *answers.models)):
        shares = mean_of(answers.right[[name in (ALL, model) for model in answers.models]])
        asked = ~np.isnan(shares)
        interval = clustered_wilson(shares[asked], answers.pictures[asked])
        figures.append(RoundFigures(name, int(asked.sum()), float(shares[asked].mean()), *interval))
    return tuple(figures)


def with_bias(
    figures: Sequence[RoundFigures], answers: RoundAnswers, can: NDArray[np.bool_], gap: float
) -> tuple[RoundFigures, ...]:
    """Add what the answers would say too much of the questions that they leave, by repeated splits of the answers."""
    if len(answers.right) < 2:
        return tuple(figures)
    models, pictures = answers.models, answers.pictures
    held = held_out_scores(answers.right, lambda rows: ~to_grow(rows, can, gap), models=models, clusters=pictures)
    biases = dict(zip(dict.fromkeys(answers.models), held.bias, strict=True))
    finite = {name: bias for name, bias in biases.items() if np.isfinite(bias).all()}
    return tuple(RoundFigures(*each[:5], *finite.get(each.model, ())) for each in figures)


def why_stop(accuracy: RoundFigures, least: float, most: float) -> str:
    """Say why the loop ends at this accuracy of all models; empty if questions are to grow."""
    if least <= accuracy.low and accuracy.high <= most:
        return REACHED
    if accuracy.accuracy > (least + most) / 2:
        return ""
    return BELOW if accuracy.high < least else UNSURE
