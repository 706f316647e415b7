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

from kbe_graph.statistics.intervals import Floats, cluster_sums

MemoryVerdict = Literal["memory", "no sign of memory", "cannot tell"]
ALPHA = 0.05
DRAWS = 1000
POWER = 0.8
LEAST_PAIRS = 100
LEAST_OTHERS = 2
LARGE = exp(1.5 / 2.35)  # odds ratio of a large difference (class C)


class MemoryFinding(NamedTuple):
    """The finding on a model's memory, with its figures.

    ``original`` and ``paraphrase`` are the shares right of the ``pairs``; ``difference`` is original minus paraphrase,
    with its 95 % interval. ``odds`` is how much likelier the model is right on the published wording, at equal ease for
    the models it is compared with (the common odds ratio of Mantel and Haenszel 1959); ``p`` tests that this ratio is
    above 1, by a bootstrap over images, adjusted for the number of models (Holm). ``detectable`` is the odds ratio that
    would be detected with 80 % power. Figures that were not computed are None.
    """

    verdict: MemoryVerdict
    reason: str
    pairs: int
    original: float | None = None
    paraphrase: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    odds: float | None = None
    p: float | None = None
    detectable: float | None = None


class _Pairs(NamedTuple):
    """Two matrices of one row per model and one column per question, with draws of the questions' images."""

    original: Floats
    paraphrase: Floats
    images: Sequence[str]
    draws: Floats

    def sums(self, rows: Floats) -> Floats:
        """Return the column sums of ``rows``, one row per draw of as many images as there are (Miller 2411.00640)."""
        return self.draws @ cluster_sums(rows, self.images)


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
    count = len(set(images))
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(float)
    pairs = _Pairs(original, paraphrase, images, draws)
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
    sums = pairs.sums(np.column_stack([right - again, np.ones_like(right)]))
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975]).tolist()
    shares = float(right.mean()), float(again.mean())
    own = MemoryFinding("cannot tell", "", len(right), *shares, shares[0] - shares[1], low, high)
    group = sorted({*fellows, model})
    if len(group) <= LEAST_OTHERS:
        reason = f"fewer than {LEAST_OTHERS} other models without a sign of memory were asked the same pairs"
        return own._replace(reason=reason)
    contrast = _contrast(pairs, model, group)
    seen = _detectable(contrast.error, len(pairs.original))
    verdict, reason = _verdict(own, seen, is_suspect=suspicion is not None)
    return own._replace(
        verdict=verdict,
        reason=reason,
        odds=exp(contrast.log_odds),
        p=min(1.0, contrast.p * len(group)) if suspicion is None else suspicion,
        detectable=seen,
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
    error = float(_log_odds(pairs.sums(rows)).std())
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
