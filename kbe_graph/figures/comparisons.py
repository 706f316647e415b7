"""Paired differences between the hops of a sample, between models, and between variants, and their power."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kbe_graph.figures.accuracy import Samples
from kbe_graph.figures.outcomes import IMAGE, JUDGED_MODEL, RAW_ROW, Rows, groups
from kbe_graph.statistics.paired import (
    PairedDifference,
    detectable_difference,
    holm,
    paired_difference,
    pairs_needed,
    questions_needed,
)
from kbe_graph.types import VARIANTS

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


Match = tuple[tuple[str, ...], "pd.DataFrame"]
"""What is compared (benchmark, model, judge, row, before, after), and the outcomes with a column for either."""


def between_hops(outcomes: "pd.DataFrame") -> Iterator[Match]:
    """Match each row with raw, and with the row before it, in pairs of the same sample."""
    for names, group in groups(outcomes[outcomes["variant"] == IMAGE], JUDGED_MODEL):
        wide, rows = _wide(group, "sample", "row"), list(dict.fromkeys(group["row"]))
        from_raw = [(RAW_ROW, row) for row in rows if RAW_ROW in rows and row != RAW_ROW]
        onward = [(before, after) for before, after in pairwise(rows) if before != RAW_ROW]
        for before, after in from_raw + onward:
            yield (*names, "", before, after), wide


def between_models(outcomes: "pd.DataFrame") -> Iterator[Match]:
    """Match every two models on the questions of a row that both were asked."""
    for (benchmark, judge, row), group in groups(outcomes[outcomes["variant"] == IMAGE], ["benchmark", "judge", "row"]):
        wide = _wide(group, "question", "model")
        for before, after in combinations(sorted(wide.columns), 2):
            yield (benchmark, "", judge, row, before, after), wide


def between_variants(outcomes: "pd.DataFrame") -> Iterator[Match]:
    """Match every other variant (blind, no-chain, paraphrase, options) with the unchanged question.

    Shuffled and rotated options are compared with the options in their own order.
    """
    asked = outcomes[outcomes["variant"].isin(VARIANTS)]
    for names, group in groups(asked, [*JUDGED_MODEL, "row"]):
        wide = _wide(group, "question", "variant")
        for variant in sorted(set(wide.columns) - {IMAGE}):
            if (before := PLAINER.get(variant, IMAGE)) in wide:
                yield (*names, before, variant), wide


def _wide(group: "pd.DataFrame", unit: str, across: str) -> "pd.DataFrame":
    right = group.groupby(["image", unit, across])["right"].mean()
    return right.unstack(across)  # noqa: PD010 - a pivot_table takes twice as long


def compare(matches: Iterable[Match], samples: Samples = "all", *, seed: int = 0) -> list[Comparison]:
    """Compare the outcomes of pairs, and correct the p-values of each judge's comparisons."""
    rows = []
    for place, wide in matches:
        both = wide[[*place[-2:]]].dropna()
        if len(both):
            before, after = both.to_numpy().T
            figures = paired_difference(before, after, both.index.get_level_values("image"), seed=seed)
            rows.append(Comparison._make((samples, *place, figures, figures.p)))
    adjusted = holm_by([row.judge for row in rows], [row.figures.p for row in rows])
    return [row._replace(holm=p) for row, p in zip(rows, adjusted, strict=True)]


def holm_by(families: Sequence[str], ps: Sequence[float]) -> list[float]:
    """Adjust p-values after Holm within each family, such as the comparisons by one judge."""
    names, adjusted = np.asarray(families), np.asarray(ps, dtype=float)
    for name in set(families):
        adjusted[names == name] = holm(adjusted[names == name])
    return [float(p) for p in adjusted]


def power_rows(comparisons: Sequence[Comparison]) -> Rows:
    """Compute the power of each comparison, discounting pairs that share an image by the design effect.

    ``discordance`` is the share of pairs that differ; ``detectable`` the smallest difference detected 80 times in 100,
    None if none could be; ``needed`` the pairs needed for three points, and ``needed_unpaired`` the size of each of two
    sets without a common question.
    """
    return [_power(comparison) for comparison in comparisons]


def _power(comparison: Comparison) -> dict[str, Any]:
    figures = comparison.figures
    discordance = (figures.gained + figures.lost) / figures.pairs
    place = dict(zip(Comparison._fields[1:7], comparison[1:7], strict=True))
    return place | {
        "pairs": figures.pairs,
        "discordance": discordance,
        "detectable": detectable_difference(int(figures.pairs / figures.design_effect), discordance),
        "needed": ceil(pairs_needed(SOUGHT, discordance) * figures.design_effect),
        "needed_unpaired": questions_needed(figures.share_before, SOUGHT),
    }
