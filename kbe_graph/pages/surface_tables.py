"""The report's tables of perturbed questions: changes, their cost, what was made, flips, and what others published."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kbe_graph.evaluate.surface import SurfaceRow
from kbe_graph.files.resources import data, rows
from kbe_graph.pages.report_values import Cell, FlatTable, ReportData
from kbe_graph.perturb.methods import METHODS

COLUMNS = ("paper", "place", "taken_from", "benchmark", "model", "change", "part", "before", "after", "difference")
_MODEL = ("benchmark", "model", "judge")
_CHANGE = ("row", "kind", "change", "pairs", "share_before", "share_after", "difference", "low", "high")
_FLIPS = ("row", "questions", "askings", "flips", "low", "high")
_RIGHT = ("right", "low", "high")


class PublishedChange(NamedTuple):
    """What a paper published of a model under a perturbation, in points, and where the figure was taken from."""

    paper: str
    place: str
    taken_from: str
    benchmark: str
    model: str
    change: str
    part: str
    before: str
    after: str
    difference: str


@cache
def published_changes() -> tuple[PublishedChange, ...]:
    """Return the published figures of MDK12-Bench and VLB; raises DatasetError and ResourceError."""
    return tuple(PublishedChange(*fields) for _, fields in rows(data("published_surface.tsv"), COLUMNS))


def surface_tables(data: ReportData) -> Iterator[FlatTable]:
    """Give the tables of perturbed questions, those too that have no row; shares and differences are 0 to 1.

    The published figures are in points, as the papers have them.
    """
    figures = data.surface.as_mapping()
    changes = (*_MODEL, *_CHANGE, "to_wrong", "to_right", "seeds", "refused", "rejected", "p", "holm")
    yield _table("surface", "Changes of surface, and hops", figures["changes"], changes)
    costs = ("hop", "pairs", "operations", "raw", "surface", "knowledge", "difference", "low", "high", "p")
    yield _table("surface-knowledge", "Hops less surface", figures["costs"], (*_MODEL, *costs))
    made = ("operation", "asked", "kept", "refused", "rejected", "refused_share", "rejected_share", "reasons")
    yield _table("operations", "Variants made by each operation", figures["made"], made)
    sides = [f"{side}_{part}" for side in ("stable", "brittle") for part in _RIGHT]
    flips = (*_MODEL, *_FLIPS, "stable", *sides[:3], "brittle", *sides[3:], "r", "r_low", "r_high")
    yield _table("flips", "Stable and brittle questions", figures["flips"], flips)
    yield _brittle(data)
    yield _published(data)


def _table(name: str, title: str, rows: list[dict[str, Cell]], columns: tuple[str, ...]) -> FlatTable:
    heads = tuple(column.replace("_", " ") for column in columns)
    return FlatTable(name, title, heads, [[row[column] for column in columns] for row in rows])


def _brittle(data: ReportData) -> FlatTable:
    columns = ("question", "flips", "askings", "failing", "models")
    brittle = data.item_table.brittle if data.surface.changes else data.item_table.items[:0]
    items = brittle[list(columns)].round(6).itertuples(index=False, name=None)
    return FlatTable("brittle", "Brittle questions", columns, list(items))


def _published(data: ReportData) -> FlatTable:
    columns = ("by", "taken from", *COLUMNS[3:])
    changes = [row for row in data.surface.changes if row.judge == data.judge]
    own = [_own(row) for row in changes if not METHODS.keys().isdisjoint(row.change.split("+"))]
    published = [(f"{figure.paper}, {figure.place}".rstrip(", "), *figure[2:]) for figure in published_changes()]
    return FlatTable(
        "surface-published", "Published figures", columns, [*own, *published] if data.surface.changes else []
    )


def _own(row: SurfaceRow) -> tuple[Cell, ...]:
    figures = row.figures
    before, after = (f"{100 * share:.2f}" for share in (figures.share_before, figures.share_after))
    place = ("this workspace", "", row.benchmark, row.model, row.change, row.row)
    return (*place, before, after, f"{100 * figures.difference:+.2f}")
