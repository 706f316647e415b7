"""Surface or knowledge: the cost of each perturbation to a model, and that of a hop on the same samples."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kbe_graph.evaluate.flips import FlipRow, flip_rows
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
from kbe_graph.perturb.methods import CONTROL
from kbe_graph.statistics.paired import PairedDifference, holm, paired_difference

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 9
CHANGE_KINDS = ("control", "surface", "knowledge")
VariantCount = tuple[str, str, str, int]
"""An operation, a status (kept, refused, rejected), a reason, and how many variants: a row of ``variant_counts``."""


class MadeRow(NamedTuple):
    """The variants that an operation was to make: how many were kept, refused and rejected, and why.

    ``refused_share`` is of all, ``rejected_share`` of those that were made, None where none was.
    """

    operation: str
    asked: int
    kept: int
    refused: int
    rejected: int
    refused_share: float
    rejected_share: float | None
    reasons: str


class SurfaceRow(NamedTuple):
    """The accuracy of a model before and after a change: the same questions by pairs, by one judge.

    ``change`` is an operation, held against the questions of ``row`` as they stand; or a hop, held against the raw
    questions of the same samples, those that any operation changed. ``kind`` tells them apart: control, surface or
    knowledge. A question counts by its mean over the ``seeds``.
    ``to_wrong`` and ``to_right`` are the shares of askings that flip: of the pairs of an asking as it stands and one
    after the change. ``holm`` is the p of the test held against all changes by the same judge.
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
    refused: float | None = None
    rejected: float | None = None


class CostRow(NamedTuple):
    """The costs of surface and knowledge to a model on the same samples.

    ``surface`` and ``knowledge`` are their changes of accuracy: the mean over the ``operations`` that a sample's raw
    question was asked under, the control left out, and the question of ``hop``. ``figures`` compare the two, hop less
    surface, pair by pair.
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
        """The one that costs more beyond the 95 % interval; empty where the two cannot be told apart."""
        if self.figures.high < 0:
            return "knowledge"
        return "surface" if self.figures.low > 0 else ""


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """The figures of perturbed questions; all empty where none was made and none was asked.

    ``changes`` has a row a model and change, the control first and the hops last; ``costs`` hold surface against
    knowledge, hop by hop; ``made`` counts variants by operation; ``flips`` say how stable the answers are.
    """

    changes: tuple[SurfaceRow, ...] = ()
    costs: tuple[CostRow, ...] = ()
    made: tuple[MadeRow, ...] = ()
    flips: tuple[FlipRow, ...] = ()

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all of it as plain values, for JSON: a list of flat rows by name; shares are 0 to 1."""
        return {field.name: [plain_row(row) for row in getattr(self, field.name)] for field in fields(self)}


def surface_table(answers: "pd.DataFrame", counts: Iterable[VariantCount] = (), *, seed: int = 0) -> SurfaceTable:
    """Return the figures of perturbed questions; ``answers`` is as ``answers_frame`` makes it.

    ``counts`` are of the variants that were made. Paraphrases are a change of surface too, where an operation made them
    or others were asked beside them. Raises InputError where the questions are of more than one run of evolution.
    """
    made = made_rows(counts)
    if not (operations_of(answers["variant"]) or PARAPHRASE in {row.operation for row in made}):
        return SurfaceTable(made=made)
    own = outcomes(with_rows(answers))
    pairs = _pairs(own)
    changes = _with_rates(_with_holm([*_change_rows(pairs, seed)]), made)
    return SurfaceTable(tuple(changes), tuple(_cost_rows(pairs, seed)), made, tuple(flip_rows(answers, own, seed=seed)))


def made_rows(counts: Iterable[VariantCount]) -> tuple[MadeRow, ...]:
    """Sum up the variants by operation, the control first; the reasons by how many they are."""
    statuses: dict[str, Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    for operation, status, reason, count in counts:
        statuses.setdefault(operation, Counter())[status] += count
        reasons.setdefault(operation, Counter()).update({reason: count} if reason else {})
    order = sorted(statuses, key=lambda name: (name != CONTROL, name))
    return tuple(_made_row(name, statuses[name], reasons[name]) for name in order)


def _made_row(operation: str, counts: Counter[str], reasons: Counter[str]) -> MadeRow:
    kept, refused, rejected = (counts[status] for status in ("kept", "refused", "rejected"))
    return MadeRow(
        *(operation, counts.total(), kept, refused, rejected),
        refused_share=refused / counts.total(),
        rejected_share=rejected / (kept + rejected) if kept + rejected else None,
        reasons="; ".join(f"{reason} {count}" for reason, count in reasons.most_common()),
    )


def _pairs(own: "pd.DataFrame") -> "pd.DataFrame":
    """Return a row a pair, in the order of the table: a question under an operation, and a sample at a hop.

    Columns: those of outcomes, and kind, change, seeds, before, after.
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


def _with_rates(rows: Iterable[SurfaceRow], made: Iterable[MadeRow]) -> Iterator[SurfaceRow]:
    by_operation = {row.operation: row for row in made}
    for row in rows:
        counts = by_operation.get(row.change)
        yield row._replace(refused=counts.refused_share, rejected=counts.rejected_share) if counts else row


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
    """Return the paired difference, rounded: means over three seeds leave crumbs where nothing differs."""
    figures = paired_difference(before, after, images.to_numpy(), seed=seed)
    difference, low, high = (round(part, _DIGITS) + 0.0 for part in (figures.difference, figures.low, figures.high))
    return figures._replace(difference=difference, low=low, high=high)
