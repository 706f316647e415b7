"""Paired differences between hops, models, variants and perturbed questions, and their power.

Surface or knowledge: the accuracy that a model loses to each perturbation, and to a hop, on the same samples.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kbe_graph.brief import brief
from kbe_graph.figures.accuracy import Samples
from kbe_graph.figures.outcomes import (
    IMAGE,
    JUDGED_MODEL,
    PARAPHRASE,
    RAW_ROW,
    Rows,
    groups,
    operations_of,
    outcomes,
    plain_row,
    rows_by,
    with_rows,
)
from kbe_graph.statistics.paired import (
    PairedDifference,
    detectable_difference,
    holm,
    paired_difference,
    pairs_needed,
    questions_needed,
)
from kbe_graph.types import CONTROL, VARIANTS

if TYPE_CHECKING:
    import pandas as pd

SOUGHT = 0.03  # the difference that a benchmark should be able to detect: three points

PLAINER = {
    "options-shuffled": "options",
    "circular": "options",
}  # the baseline of a variant, if not the unchanged question


class Comparison(NamedTuple):
    """One paired difference by one judge: ``after`` minus ``before``, which are two rows, models or variants.

    ``model`` is empty when models are compared, ``row`` when rows are. ``holm`` is the p-value of
    ``flip_test`` after Holm's correction over its family: all comparisons of this kind, on the same samples, by the
    same judge.
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
    """Match every other variant (blind, paraphrase, options) with the unchanged question.

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


_PLACES = 9
CHANGE_KINDS = ("control", "surface", "knowledge")


@brief()
@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """The figures of perturbed questions, flat rows of plain values; empty if none were asked.

    ``changes`` has one row per model, judge and change, control first and hops last: the accuracy before and after it,
    on paired questions. ``change`` is an operation, compared with the unchanged questions of ``row``; or a hop,
    compared with the raw questions of the same samples, limited to those that some operation changed. ``kind`` is
    control, surface or knowledge. A question counts as its mean over ``seeds``. ``to_wrong`` and ``to_right`` are the
    shares of pairs of an unchanged and a changed asking that flip. ``holm`` is the p-value after Holm's correction over
    all changes by the same judge.

    ``costs`` compares what surface and knowledge cost on the same samples, hop by hop: ``surface`` is the mean change
    of accuracy over the ``operations`` applied to a sample's raw question, without the control, ``knowledge`` that at
    the question of ``hop``, and ``costs_more`` names the larger loss by the 95 % interval of hop minus surface.
    """

    changes: Rows = field(default_factory=list)
    costs: Rows = field(default_factory=list)

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all figures for JSON: a list of flat rows by name; shares are 0 to 1."""
        return {"changes": self.changes, "costs": self.costs}


def surface_table(answers: "pd.DataFrame", *, seed: int = 0) -> SurfaceTable:
    """Compute the figures of perturbed questions; ``answers`` has the form of ``answers_frame``.

    Paraphrases asked next to other operations also count as a surface change. Raises InputError if the questions come
    from more than one evolution.
    """
    if not operations_of(answers["variant"]):
        return SurfaceTable()
    pairs = _pairs(outcomes(with_rows(answers)))
    return SurfaceTable(_change_rows(pairs, seed), _cost_rows(pairs, seed))


def _pairs(own: "pd.DataFrame") -> "pd.DataFrame":
    """Pair each question under an operation, and each sample at a hop, with its unchanged outcome, in table order.

    Columns: those of ``outcomes``, and kind, change, seeds, before, after.
    """
    import pandas as pd

    plain = own[own["variant"] == IMAGE]
    before = plain[[*JUDGED_MODEL, "question", "right"]].rename(columns={"right": "before"})
    operations = operations_of(own["variant"])
    surface = own[own["variant"].isin([*operations, PARAPHRASE])].merge(before, on=[*JUDGED_MODEL, "question"])
    surface = surface.assign(
        kind=surface["variant"].map(lambda name: CHANGE_KINDS[name != CONTROL]), change=surface["variant"]
    )
    changed = surface.loc[surface["row"] == RAW_ROW, [*JUDGED_MODEL, "sample", "before"]].drop_duplicates()
    knowledge = plain[plain["hop"] > 0].merge(changed, on=[*JUDGED_MODEL, "sample"])
    knowledge = knowledge.assign(kind=CHANGE_KINDS[2], change=knowledge["row"], row=RAW_ROW)
    pairs = pd.concat([surface, knowledge]).rename(columns={"right": "after", "runs": "seeds"})
    asked_at = pairs["hop"].where(pairs["kind"] != CHANGE_KINDS[2], 0)
    pairs = pairs.assign(asked_at=asked_at, place=pairs["kind"].map(CHANGE_KINDS.index))
    return pairs.sort_values([*JUDGED_MODEL, "asked_at", "row", "place", "hop", "change", "question"])


def _change_rows(pairs: "pd.DataFrame", seed: int) -> Rows:
    def figures(group: "pd.DataFrame") -> dict[str, Any]:
        before, after = group["before"], group["after"]
        flips = {"to_wrong": float((before * (1 - after)).mean()), "to_right": float(((1 - before) * after).mean())}
        return {"seeds": int(group["seeds"].max()), **_paired(before, after, group["image"], seed), **flips}

    rows = rows_by(pairs, [*JUDGED_MODEL, "row", "kind", "change"], figures)
    adjusted = holm_by([row["judge"] for row in rows], [row["p"] for row in rows])
    return [plain_row(row | {"holm": p}) for row, p in zip(rows, adjusted, strict=True)]


def _cost_rows(pairs: "pd.DataFrame", seed: int) -> Rows:
    raw = pairs[(pairs["row"] == RAW_ROW) & (pairs["kind"] == "surface")]
    sample = [*JUDGED_MODEL, "sample"]
    surface = raw.groupby(sample, as_index=False).agg(other_surface=("after", "mean"))
    operations = raw.groupby(JUDGED_MODEL, as_index=False).agg(operations=("change", "nunique"))
    hops = pairs[pairs["kind"] == "knowledge"].drop(columns="hop").rename(columns={"change": "hop"})

    def figures(group: "pd.DataFrame") -> dict[str, Any]:
        paired, before = _paired(group["other_surface"], group["after"], group["image"], seed), group["before"].mean()
        return {
            "operations": int(group["operations"].iloc[0]),
            "raw": float(before),
            "surface": round(paired["share_before"] - before, _PLACES),
            "knowledge": round(paired["share_after"] - before, _PLACES),
            **paired,
            "costs_more": _dearer(paired["low"], paired["high"]),
        }

    merged = hops.merge(surface, on=sample).merge(operations, on=JUDGED_MODEL)
    return [plain_row(row) for row in rows_by(merged, [*JUDGED_MODEL, "hop"], figures)]


def _dearer(low: float, high: float) -> str:
    return "knowledge" if high < 0 else "surface" if low > 0 else "no clear difference"


def _paired(
    before: "pd.Series[float]", after: "pd.Series[float]", images: "pd.Series[str]", seed: int
) -> dict[str, Any]:
    figures = paired_difference(before, after, images.to_numpy(), seed=seed)._asdict()
    return figures | {name: round(figures[name], _PLACES) + 0.0 for name in ("difference", "low", "high")}
