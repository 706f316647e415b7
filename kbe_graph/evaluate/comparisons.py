"""Paired differences between the hops of a sample, between models, and between variants, and their power."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.evaluate.accuracy import Samples
from kbe_graph.evaluate.guessers import RAW_ROW
from kbe_graph.evaluate.outcomes import IMAGE, JUDGED_MODEL, groups
from kbe_graph.statistics.paired import (
    PairedDifference,
    detectable_difference,
    holm,
    paired_difference,
    pairs_needed,
    questions_needed,
)

if TYPE_CHECKING:
    import pandas as pd

SOUGHT = 0.03  # the difference that a benchmark should be able to detect: three points

PLAINER = {
    "options-shuffled": "options",
    "circular": "options",
}  # the baseline of a variant, if not the unchanged question


class Comparison(NamedTuple):
    """One paired difference by one judge: ``after`` minus ``before``, which are two rows, models or variants.

    ``model`` is empty when models are compared, ``row`` when rows are. ``holm`` is the p-value of the exact McNemar
    test after Holm's correction over its family: all comparisons of this kind, on the same samples, by the same judge.
    """

    samples: Samples
    benchmark: str
    model: str
    judge: str
    row: str
    before: str
    after: str
    figures: PairedDifference
    holm: float


class PowerRow(NamedTuple):
    """Power of a comparison: the smallest difference detected 80 times in 100, and the pairs needed for three points.

    ``discordance`` is the share of pairs that differ. ``detectable`` is None if no difference could be detected.
    ``needed`` counts pairs; ``needed_unpaired`` is the size of each of two sets without a common question.
    """

    benchmark: str
    model: str
    judge: str
    row: str
    before: str
    after: str
    pairs: int
    discordance: float
    detectable: float | None
    needed: int
    needed_unpaired: int


class _Matched(NamedTuple):
    benchmark: str
    model: str
    judge: str
    row: str
    before: str
    after: str
    wide: "pd.DataFrame"


def hop_comparisons(outcomes: "pd.DataFrame", samples: Samples, *, seed: int = 0) -> list[Comparison]:
    """Compare each row with raw, and with the row before it, in pairs of the same sample."""
    return _compare(_between_hops(outcomes[outcomes["variant"] == IMAGE]), samples, seed)


def model_comparisons(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[Comparison]:
    """Compare every two models on the questions of a row that both were asked."""
    return _compare(_between_models(outcomes[outcomes["variant"] == IMAGE]), "all", seed)


def variant_comparisons(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[Comparison]:
    """Compare every other variant (blind, no-chain, paraphrase, options) with the unchanged question.

    Shuffled and rotated options are compared with the options in their own order.
    """
    return _compare(_between_variants(outcomes), "all", seed)


def _between_hops(outcomes: "pd.DataFrame") -> Iterator[_Matched]:
    for (benchmark, model, judge), group in groups(outcomes, JUDGED_MODEL):
        wide, rows = _wide(group, "sample", "row"), list(dict.fromkeys(group["row"]))
        from_raw = [(RAW_ROW, row) for row in rows if RAW_ROW in rows and row != RAW_ROW]
        onward = [(before, after) for before, after in pairwise(rows) if before != RAW_ROW]
        for before, after in from_raw + onward:
            yield _Matched(benchmark, model, judge, "", before, after, wide)


def _between_models(outcomes: "pd.DataFrame") -> Iterator[_Matched]:
    for (benchmark, judge, row), group in groups(outcomes, ["benchmark", "judge", "row"]):
        wide = _wide(group, "question", "model")
        for before, after in combinations(sorted(wide.columns), 2):
            yield _Matched(benchmark, "", judge, row, before, after, wide)


def _between_variants(outcomes: "pd.DataFrame") -> Iterator[_Matched]:
    for (benchmark, model, judge, row), group in groups(outcomes, [*JUDGED_MODEL, "row"]):
        wide = _wide(group, "question", "variant")
        for variant in sorted(set(wide.columns) - {IMAGE}):
            if (before := PLAINER.get(variant, IMAGE)) in wide:
                yield _Matched(benchmark, model, judge, row, before, variant, wide)


def _wide(group: "pd.DataFrame", unit: str, across: str) -> "pd.DataFrame":
    right = group.groupby(["image", unit, across])["right"].mean()
    return right.unstack(across)  # noqa: PD010 - a pivot_table takes twice as long


def _compare(matches: Iterable[_Matched], samples: Samples, seed: int) -> list[Comparison]:
    rows = [
        Comparison(samples, *match[:-1], figures=figures, holm=figures.p)
        for match in matches
        if (figures := _figures(match, seed))
    ]
    families = [[row for row in rows if row.judge == judge] for judge in dict.fromkeys(row.judge for row in rows)]
    return [
        row._replace(holm=float(p))
        for family in families
        for row, p in zip(family, holm([row.figures.p for row in family]), strict=True)
    ]


def _figures(match: _Matched, seed: int) -> PairedDifference | None:
    before, after = match.wide[match.before].to_numpy(), match.wide[match.after].to_numpy()
    both = ~(np.isnan(before) | np.isnan(after))
    if not both.any():
        return None
    images = match.wide.index.get_level_values("image").to_numpy()
    return paired_difference(before[both], after[both], images[both], seed=seed)


def power_rows(comparisons: Sequence[Comparison]) -> list[PowerRow]:
    """Compute the power of each comparison, discounting pairs that share an image by the design effect."""
    return [_power(comparison) for comparison in comparisons]


def _power(comparison: Comparison) -> PowerRow:
    figures = comparison.figures
    discordance = (figures.gained + figures.lost) / figures.pairs
    return PowerRow(
        *comparison[1:7],
        pairs=figures.pairs,
        discordance=discordance,
        detectable=detectable_difference(int(figures.pairs / figures.design_effect), discordance),
        needed=ceil(pairs_needed(SOUGHT, discordance) * figures.design_effect),
        needed_unpaired=questions_needed(figures.share_before, SOUGHT),
    )
