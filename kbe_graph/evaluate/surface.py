"""Surface or knowledge: the accuracy a model loses to each perturbation, and to a hop, on the same samples."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kbe_graph.evaluate.guessers import RAW_ROW
from kbe_graph.evaluate.outcomes import (
    IMAGE,
    JUDGED_MODEL,
    PARAPHRASE,
    groups,
    operations_of,
    outcomes,
    with_rows,
)
from kbe_graph.evaluate.results import plain_row
from kbe_graph.perturb.variant import CONTROL
from kbe_graph.statistics.paired import PairedDifference, holm, paired_difference

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 9
CHANGE_KINDS = ("control", "surface", "knowledge")


class SurfaceRow(NamedTuple):
    """A model's accuracy before and after a change, on paired questions, by one judge.

    ``change`` is an operation, compared with the unchanged questions of ``row``; or a hop, compared with the raw
    questions of the same samples, limited to those that some operation changed. ``kind`` is control, surface or
    knowledge. A question counts as its mean over ``seeds``. ``to_wrong`` and ``to_right`` are the shares of pairs of an
    unchanged and a changed asking that flip. ``holm`` is the p-value after Holm's correction over all changes by the
    same judge.
    """

    benchmark: str
    model: str
    judge: str
    row: str
    kind: str
    change: str
    seeds: int
    figures: PairedDifference
    to_wrong: float
    to_right: float
    holm: float


class CostRow(NamedTuple):
    """The accuracy a model loses to surface and to knowledge changes on the same samples.

    ``surface`` and ``knowledge`` are changes in accuracy: the mean over the ``operations`` applied to a sample's raw
    question, without the control, and that at the question of ``hop``. ``figures`` compare the two in pairs, hop minus
    surface.
    """

    benchmark: str
    model: str
    judge: str
    hop: str
    operations: int
    raw: float
    surface: float
    knowledge: float
    figures: PairedDifference

    @property
    def dearer(self) -> Literal["surface", "knowledge", ""]:
        """The change that costs more, by the 95 % interval; empty if the two cannot be told apart."""
        if self.figures.high < 0:
            return "knowledge"
        return "surface" if self.figures.low > 0 else ""


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """The figures of perturbed questions; empty if none were made or asked.

    ``changes`` has one row per model and change, control first and hops last; ``costs`` compares surface with knowledge
    hop by hop.
    """

    changes: tuple[SurfaceRow, ...] = ()
    costs: tuple[CostRow, ...] = ()

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all figures as plain values for JSON: a list of flat rows by name; shares are 0 to 1."""
        return {field.name: [plain_row(row) for row in getattr(self, field.name)] for field in fields(self)}


def surface_table(answers: "pd.DataFrame", *, seed: int = 0) -> SurfaceTable:
    """Compute the figures of perturbed questions; ``answers`` has the form of ``answers_frame``.

    Paraphrases asked next to other operations also count as a surface change. Raises InputError if the questions come
    from more than one evolution.
    """
    if not operations_of(answers["variant"]):
        return SurfaceTable()
    pairs = _pairs(outcomes(with_rows(answers)))
    return SurfaceTable(tuple(_with_holm([*_change_rows(pairs, seed)])), tuple(_cost_rows(pairs, seed)))


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


def _change_rows(pairs: "pd.DataFrame", seed: int) -> Iterator[SurfaceRow]:
    for (benchmark, model, judge, row, kind, change), group in groups(pairs, [*JUDGED_MODEL, "row", "kind", "change"]):
        before, after = group["before"], group["after"]
        figures = _paired(before, after, group["image"], seed)
        yield SurfaceRow(
            *(benchmark, model, judge, row, kind, change),
            seeds=int(group["seeds"].max()),
            figures=figures,
            to_wrong=float((before * (1 - after)).mean()),
            to_right=float(((1 - before) * after).mean()),
            holm=figures.p,
        )


def _with_holm(rows: list[SurfaceRow]) -> Iterator[SurfaceRow]:
    for judge in dict.fromkeys(row.judge for row in rows):
        own = [row for row in rows if row.judge == judge]
        for row, p in zip(own, holm([row.figures.p for row in own]), strict=True):
            yield row._replace(holm=float(p))


def _cost_rows(pairs: "pd.DataFrame", seed: int) -> Iterator[CostRow]:
    raw = pairs[(pairs["row"] == RAW_ROW) & (pairs["kind"] == "surface")]
    sample = [*JUDGED_MODEL, "sample"]
    surface = raw.groupby(sample, as_index=False).agg(other_surface=("after", "mean"))
    hops = pairs[pairs["kind"] == "knowledge"].merge(surface, on=sample)
    operations = raw.groupby(JUDGED_MODEL)["change"].nunique()
    for (benchmark, model, judge, hop), group in groups(hops, [*JUDGED_MODEL, "change"]):
        figures = _paired(group["other_surface"], group["after"], group["image"], seed)
        before = float(group["before"].mean())
        yield CostRow(
            *(benchmark, model, judge, hop),
            operations=int(operations[benchmark, model, judge]),
            raw=before,
            surface=round(figures.share_before - before, _DIGITS),
            knowledge=round(figures.share_after - before, _DIGITS),
            figures=figures,
        )


def _paired(
    before: "pd.Series[float]", after: "pd.Series[float]", images: "pd.Series[str]", seed: int
) -> PairedDifference:
    figures = paired_difference(before, after, images.to_numpy(), seed=seed)
    difference, low, high = (round(part, _DIGITS) + 0.0 for part in (figures.difference, figures.low, figures.high))
    return figures._replace(difference=difference, low=low, high=high)
