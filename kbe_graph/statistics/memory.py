"""Memory or difficulty: whether a model is better at the published wording of questions than it should be.

A drop from one hop to the next says nothing of memory, as the later question is harder too. A paraphrase asks the same
of the same picture. It may still be a little harder, so a model's difference between the wordings is held against that
of the other models, at questions that are equally easy for them: differential item functioning (2609.02899).
"""

from collections.abc import Sequence
from math import erfc, exp, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from kbe_graph.extras import has_extra
from kbe_graph.statistics.differential import CommonOdds, LogisticDif, logistic_dif, mantel_haenszel, strata_tables
from kbe_graph.statistics.intervals import ClusterDraws, Floats

MemoryVerdict = Literal["memory", "no sign of memory", "cannot tell"]
ALPHA = 0.05
POWER = 0.8
LEAST_PAIRS = 100
LEAST_OTHERS = 2
LARGE = exp(1.5 / 2.35)  # the odds ratio from which a difference is large, class C


class MemoryFinding(NamedTuple):
    """The finding on a model's memory, and its figures.

    ``original`` and ``paraphrase`` are the shares right of the ``pairs``; ``difference`` is the one less the other,
    with its 95 % interval. ``odds`` and ``logistic`` say how much likelier the model is right on the published wording
    at equal ease for the models that it is compared with; ``p`` is of that ratio being above 1, by a bootstrap over
    images and adjusted for the number of models (Holm). ``detectable`` is the odds ratio that would have been seen four
    times of five, ``detectable_points`` the same in points of accuracy. A figure that was not reckoned is None.
    """

    verdict: MemoryVerdict
    reason: str
    pairs: int
    original: float | None = None
    paraphrase: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    odds: CommonOdds | None = None
    logistic: LogisticDif | None = None
    p: float | None = None
    detectable: float | None = None
    detectable_points: float | None = None


class _Pairs(NamedTuple):
    """Two matrices with a row a model and a column a question, and draws of the questions' images."""

    original: Floats
    paraphrase: Floats
    draws: ClusterDraws


class _Contrast(NamedTuple):
    """The log of the common odds ratio of a model, its standard error, and the chance of as much without memory."""

    log_odds: float
    error: float
    p: float


def memory_findings(
    original: Floats, paraphrase: Floats, images: Sequence[str], *, seed: int = 0
) -> list[MemoryFinding]:
    """Return a finding for each model.

    Both matrices have a row a model and a column a question, 1 right and 0 wrong, without gaps; ``images`` names the
    image of each question. The model that most surely prefers the published wording is taken out of the score that the
    others are matched by, then the next one, as long as one surely does (purification).

    - "memory": the model surely prefers the published wording more than its fellows do, and is surely better at it;
    - "no sign of memory": neither, though a large difference (class C, an odds ratio of 1.9) would have been seen;
    - "cannot tell": fewer than 100 pairs, fewer than two other models to compare with, too little power, or only one of
      the two holds, as where all models fall alike.
    """
    questions = original.shape[1]
    if questions < LEAST_PAIRS:
        return [few_pairs(questions) for _ in original]
    pairs = _Pairs(original, paraphrase, ClusterDraws(images, seed=seed))
    suspects = _suspects(pairs)
    fellows = [model for model in range(len(original)) if model not in suspects]
    return [_finding(pairs, model, fellows, suspects.get(model)) for model in range(len(original))]


def few_pairs(pairs: int) -> MemoryFinding:
    """Return the finding for a model that was asked too few questions in both wordings."""
    return MemoryFinding("cannot tell", f"{pairs} pairs of published wording and paraphrase; ask {LEAST_PAIRS}", pairs)


def _suspects(pairs: _Pairs) -> dict[int, float]:
    """Return the models that surely prefer the published wording, with the adjusted chance of each."""
    suspects: dict[int, float] = {}
    fellows = list(range(len(pairs.original)))
    while len(fellows) > LEAST_OTHERS:
        p, model = min((_contrast(pairs, model, fellows).p, model) for model in fellows)
        p = max([p * len(fellows), *suspects.values()])
        if p >= ALPHA:
            break
        suspects[model] = p
        fellows.remove(model)
    return suspects


def _finding(pairs: _Pairs, model: int, fellows: Sequence[int], suspicion: float | None) -> MemoryFinding:
    right, again = pairs.original[model], pairs.paraphrase[model]
    low, high = pairs.draws.interval(right - again)
    shares = float(right.mean()), float(again.mean())
    own = MemoryFinding("cannot tell", "", len(right), *shares, shares[0] - shares[1], low, high)
    group = sorted({*fellows, model})
    if len(group) <= LEAST_OTHERS:
        reason = f"fewer than {LEAST_OTHERS} other models without a sign of memory were asked the same pairs"
        return own._replace(reason=reason)
    return _compare(own, pairs, model, group, suspicion)


def _compare(
    own: MemoryFinding, pairs: _Pairs, model: int, group: Sequence[int], suspicion: float | None
) -> MemoryFinding:
    """Return the finding with the comparison with the others of the group."""
    contrast = _contrast(pairs, model, group)
    seen = _detectable(contrast.error, len(pairs.original))
    verdict, reason = _verdict(own, seen, is_suspect=suspicion is not None)
    right = np.concatenate([pairs.original[model], pairs.paraphrase[model]])
    is_original = np.arange(len(right)) < own.pairs
    scores = np.concatenate([pairs.original[group].sum(axis=0), pairs.paraphrase[group].sum(axis=0)])
    return own._replace(
        verdict=verdict,
        reason=reason,
        odds=mantel_haenszel(strata_tables(right, is_original, scores)),
        logistic=logistic_dif(right, is_original, scores),
        p=min(1.0, contrast.p * len(group)) if suspicion is None else suspicion,
        detectable=seen,
        detectable_points=_points(own, seen),
    )


def _verdict(own: MemoryFinding, seen: float, *, is_suspect: bool) -> tuple[MemoryVerdict, str]:
    is_better = own.low is not None and own.low > 0
    if is_suspect and is_better:
        return "memory", "better at the published wording, by more than the other models are"
    if is_suspect:
        return "cannot tell", "the other models gain by the paraphrase, this one does not"
    if is_better:
        return "cannot tell", "better at the published wording, as the other models are: harder words, or all remember"
    if seen > LARGE:
        return "cannot tell", f"an odds ratio below {seen:.1f} could not have been seen; ask more pairs"
    return "no sign of memory", f"an odds ratio of {seen:.1f} would have been seen"


def _contrast(pairs: _Pairs, model: int, group: Sequence[int]) -> _Contrast:
    """Compare a model's odds on both wordings at equal scores; the score is of the whole group, the model among it.

    With the model in the score the ratio is exactly 1 where all follow the Rasch model (Holland and Thayer 1988).
    """
    rows = np.hstack([_cells(form, model, group) for form in (pairs.original, pairs.paraphrase)])
    log_odds = float(_log_odds(rows.sum(axis=0, keepdims=True))[0])
    error = float(_log_odds(pairs.draws.sums(rows)).std())
    return _Contrast(log_odds, error, erfc(log_odds / error / sqrt(2)) / 2 if error else 1.0)


def _cells(form: Floats, model: int, group: Sequence[int]) -> Floats:
    """Return for each question 1 at the score that it has, first among the scores with the model right, then wrong."""
    at_score = form[group].sum(axis=0)[:, None] == np.arange(len(group) + 1)
    return np.hstack([at_score * right[:, None] for right in (form[model], 1 - form[model])])


def _log_odds(sums: Floats) -> Floats:
    """Return Mantel and Haenszel's log odds ratio, a row a draw; half a pair is added to both sides of the ratio.

    So a model that is always right on the published wording has a ratio too.
    """
    right, wrong, right_again, wrong_again = np.split(sums, 4, axis=1)
    n = np.maximum(right + wrong + right_again + wrong_again, 1)
    ratio = ((right * wrong_again / n).sum(axis=1) + 0.5) / ((wrong * right_again / n).sum(axis=1) + 0.5)
    return np.asarray(np.log(ratio))


def _detectable(error: float, models: int) -> float:
    """Return the odds ratio that would have been found with the power of 80 %."""
    normal = NormalDist()
    return exp((normal.inv_cdf(1 - ALPHA / models) + normal.inv_cdf(POWER)) * error)


def _points(own: MemoryFinding, odds: float) -> float:
    """Return by how much such a ratio raises the model's share right."""
    share = own.paraphrase or 0.0
    return odds * share / (1 - share + odds * share) - share


class CapAlarm(NamedTuple):
    """How often a model gives exactly the key, of its right answers to questions with several right names.

    ``expected`` is how often it would if names were drawn; ``p`` is the chance of at least so many ``hits`` then.
    ``others`` is the share of hits among the other models' right answers, ``others_p`` the chance of so many more hits
    than theirs (Fisher's exact test). ``alarm`` is True where both are below 0.05, and None where no other model gave a
    right answer, or SciPy is missing: then nobody knows whether the key is just the usual name.
    """

    hits: int
    right: int
    expected: float
    p: float
    others: float | None
    others_p: float | None
    alarm: bool | None


def cap_alarm(hits: int, chances: Sequence[float], other_hits: int, other_right: int, *, models: int = 1) -> CapAlarm:
    """Return the alarm for a model that gave the key so often, in as many right answers as there are ``chances``.

    Each chance is that of the key among the right names of that question. Both tests are adjusted for the number of
    ``models`` (Bonferroni). Assumed is that a model without memory takes a name as the chances say, or at least as the
    other models do, and answers each question on its own.
    """
    right = len(chances)
    p = min(1.0, models * tail(hits, chances))
    if not other_right or not right or not has_extra("statistics"):
        return CapAlarm(hits, right, sum(chances), p, None, None, None)
    from scipy.stats import fisher_exact

    table = [[hits, right - hits], [other_hits, other_right - other_hits]]
    others_p = min(1.0, models * float(fisher_exact(table, alternative="greater").pvalue))
    alarm = max(p, others_p) < ALPHA
    return CapAlarm(hits, right, sum(chances), p, other_hits / other_right, others_p, alarm)


def tail(hits: int, chances: Sequence[float]) -> float:
    """Return the chance of at least so many hits, exactly: the binomial one where all chances are the same."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return float(min(1.0, law[hits:].sum()))
