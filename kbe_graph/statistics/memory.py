"""Memory or ability: whether a model does better on the published wording of questions than it should.

A drop from one hop to the next is no evidence of memory, because the later question is also harder. A paraphrase asks
the same about the same picture. It may still be slightly harder, so a model's difference between the wordings is
compared with that of the other models, on questions that are equally easy for them: differential item functioning
(2609.02899).
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
LARGE = exp(1.5 / 2.35)  # odds ratio of a large difference (class C)


class MemoryFinding(NamedTuple):
    """The finding on a model's memory, with its figures.

    ``original`` and ``paraphrase`` are the shares right of the ``pairs``; ``difference`` is original minus paraphrase,
    with its 95 % interval. ``odds`` and ``logistic`` measure how much likelier the model is right on the published
    wording, at equal ease for the models it is compared with; ``p`` tests that this ratio is above 1, by a bootstrap
    over images, adjusted for the number of models (Holm). ``detectable`` is the odds ratio that would be detected with
    80 % power, ``detectable_points`` the same in points of accuracy. Figures that were not computed are None.
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
    """Two matrices of one row per model and one column per question, with draws of the questions' images."""

    original: Floats
    paraphrase: Floats
    draws: ClusterDraws


class _Contrast(NamedTuple):
    """A model's log common odds ratio, its standard error, and its one-sided p-value."""

    log_odds: float
    error: float
    p: float


def memory_findings(
    original: Floats, paraphrase: Floats, images: Sequence[str], *, seed: int = 0
) -> list[MemoryFinding]:
    """Compute a finding for each model.

    Both matrices have one row per model and one column per question, 1 right and 0 wrong, without gaps; ``images``
    names the image of each question. Purification: the model with the most significant preference for the published
    wording is removed from the score by which the others are matched, then the next one, while any is significant.

    - "memory": the model prefers the published wording significantly more than the other models, and is significantly
      better on it;
    - "no sign of memory": neither holds, though a large difference (class C, an odds ratio of 1.9) would have been
      detected;
    - "cannot tell": fewer than 100 pairs, fewer than two other models to compare with, too little power, or only one of
      the two holds, for example because all models drop equally.
    """
    questions = original.shape[1]
    if questions < LEAST_PAIRS:
        return [few_pairs(questions) for _ in original]
    pairs = _Pairs(original, paraphrase, ClusterDraws(images, seed=seed))
    suspects = _suspects(pairs)
    fellows = [model for model in range(len(original)) if model not in suspects]
    return [_finding(pairs, model, fellows, suspects.get(model)) for model in range(len(original))]


def few_pairs(pairs: int) -> MemoryFinding:
    """Return the finding for a model with too few questions asked in both wordings."""
    return MemoryFinding("cannot tell", f"{pairs} pairs of published wording and paraphrase; ask {LEAST_PAIRS}", pairs)


def _suspects(pairs: _Pairs) -> dict[int, float]:
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
    contrast = _contrast(pairs, model, group)
    seen = _detectable(contrast.error, len(pairs.original))
    verdict, reason = _verdict(own, seen, is_suspect=suspicion is not None)
    right = np.concatenate([pairs.original[model], pairs.paraphrase[model]])
    is_original = np.arange(len(right)) < own.pairs
    scores = np.concatenate([pairs.original[group].sum(axis=0), pairs.paraphrase[group].sum(axis=0)])
    is_fitted = has_extra("figures")
    return own._replace(
        verdict=verdict,
        reason=reason,
        odds=mantel_haenszel(strata_tables(right, is_original, scores)) if is_fitted else None,
        logistic=logistic_dif(right, is_original, scores) if is_fitted else None,
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
    """Compare a model's odds on both wordings at equal scores of the whole group, including the model.

    With the model in the score, the ratio is exactly 1 if all follow the Rasch model (Holland and Thayer 1988).
    """
    rows = np.hstack([_cells(form, model, group) for form in (pairs.original, pairs.paraphrase)])
    log_odds = float(_log_odds(rows.sum(axis=0, keepdims=True))[0])
    error = float(_log_odds(pairs.draws.sums(rows)).std())
    return _Contrast(log_odds, error, erfc(log_odds / error / sqrt(2)) / 2 if error else 1.0)


def _cells(form: Floats, model: int, group: Sequence[int]) -> Floats:
    at_score = form[group].sum(axis=0)[:, None] == np.arange(len(group) + 1)
    return np.hstack([at_score * right[:, None] for right in (form[model], 1 - form[model])])


def _log_odds(sums: Floats) -> Floats:
    """Return the Mantel-Haenszel log odds ratio per draw, adding half a pair to numerator and denominator.

    This keeps the ratio finite for a model that is always right on the published wording.
    """
    right, wrong, right_again, wrong_again = np.split(sums, 4, axis=1)
    n = np.maximum(right + wrong + right_again + wrong_again, 1)
    ratio = ((right * wrong_again / n).sum(axis=1) + 0.5) / ((wrong * right_again / n).sum(axis=1) + 0.5)
    return np.asarray(np.log(ratio))


def _detectable(error: float, models: int) -> float:
    normal = NormalDist()
    return exp((normal.inv_cdf(1 - ALPHA / models) + normal.inv_cdf(POWER)) * error)


def _points(own: MemoryFinding, odds: float) -> float:
    share = own.paraphrase or 0.0
    return odds * share / (1 - share + odds * share) - share


class CapAlarm(NamedTuple):
    """How often a model's right answers to questions with several right names are exactly the key.

    ``expected`` is the number of hits if names were drawn at random; ``p`` is the probability of at least as many
    ``hits``. ``others`` is the share of hits among the other models' right answers, ``others_p`` the p-value of having
    more (Fisher's exact test). ``alarm`` is True if both p-values are below 0.05. It is None if the model or all others
    gave no right answer, or SciPy is missing, because then the key may simply be the usual name.
    """

    hits: int
    right: int
    expected: float
    p: float
    others: float | None
    others_p: float | None
    alarm: bool | None


def cap_alarm(hits: int, chances: Sequence[float], other_hits: int, other_right: int, *, models: int = 1) -> CapAlarm:
    """Test whether a model gives the key suspiciously often, in as many right answers as there are ``chances``.

    Each chance is the probability of the key among the right names of that question. Both tests are adjusted for the
    number of ``models`` (Bonferroni). They assume that a model without memory picks names by these chances, or at least
    like the other models, and answers questions independently.
    """
    right = len(chances)
    p = min(1.0, models * tail(hits, chances))
    if not other_right or not right or not has_extra("figures"):
        return CapAlarm(hits, right, sum(chances), p, None, None, None)
    from scipy.stats import fisher_exact

    table = [[hits, right - hits], [other_hits, other_right - other_hits]]
    others_p = min(1.0, models * float(fisher_exact(table, alternative="greater").pvalue))
    alarm = max(p, others_p) < ALPHA
    return CapAlarm(hits, right, sum(chances), p, other_hits / other_right, others_p, alarm)


def tail(hits: int, chances: Sequence[float]) -> float:
    """Return the exact probability of at least ``hits`` successes; binomial if all chances are equal."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return float(min(1.0, law[hits:].sum()))
