"""Surface or knowledge: the accuracy a model loses to each perturbation, and to a hop, on the same samples."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kbe_graph.figures.comparisons import holm_by
from kbe_graph.figures.outcomes import (
    IMAGE,
    JUDGED_MODEL,
    PARAPHRASE,
    RAW_ROW,
    Rows,
    operations_of,
    outcomes,
    rows_by,
    with_rows,
)
from kbe_graph.figures.results import plain_row
from kbe_graph.statistics.paired import paired_difference
from kbe_graph.types import CONTROL

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 9
CHANGE_KINDS = ("control", "surface", "knowledge")


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
            "surface": round(paired["share_before"] - before, _DIGITS),
            "knowledge": round(paired["share_after"] - before, _DIGITS),
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
    return figures | {name: round(figures[name], _DIGITS) + 0.0 for name in ("difference", "low", "high")}
