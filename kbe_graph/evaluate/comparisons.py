"""Differences pair by pair: between the hops of a sample, between models, between ways to ask; and their power."""

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

SOUGHT = 0.03  # the difference that a benchmark should be able to show: three points

PLAINER = {
    "options-shuffled": "options",
    "circular": "options",
}  # what a variant is compared with, where not with the question as it stands


class Comparison(NamedTuple):
    """One paired difference: ``after`` less ``before``, two rows, two models or two variants, by one judge.

    ``model`` is empty where models are compared, ``row`` where rows are. ``p`` is the exact McNemar test's, ``holm``
    that of its family: all comparisons of the same kind among the same samples by the same judge.
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
    """The power of a comparison: the smallest difference seen 80 of 100 times, and the pairs that three points need.

    ``discordance`` is the share of pairs that differ. ``detectable`` is None where no difference would be seen.
    ``needed`` counts pairs; ``needed_unpaired`` the questions of each of two sets that have no question in common.
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
    """Return each row against raw, and each against the one before it, pairs of the same sample."""
    return _compare(_between_hops(outcomes[outcomes["variant"] == IMAGE]), samples, seed)


def model_comparisons(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[Comparison]:
    """Return each two models at the questions of a row that both were asked."""
    return _compare(_between_models(outcomes[outcomes["variant"] == IMAGE]), "all", seed)


def variant_comparisons(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[Comparison]:
    """Compare each other way to ask (blind, no-chain, paraphrase, options) with the unchanged question.

    Shuffled and rotated options are held against the options in their own order.
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
    """Return the power of comparisons; pairs of the same image count as the fewer that they are worth."""
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
