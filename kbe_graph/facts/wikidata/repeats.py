"""Detection of repeated values of a property: the same words, or the same quantity in another unit."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.facts.wikidata.value_text import ONE
from kbe_graph.files.resources import rows
from kbe_graph.types import WikiStatement

_NEAR = 0.005


class Unit(NamedTuple):
    """A unit: its measure (such as length), its size in SI units, and the offset of its scale."""

    measure: str
    factor: float
    offset: float
    metric: bool


@cache
def measured_units() -> Mapping[str, Unit]:
    """Return the convertible units by English label; raises DatasetError."""
    file = files("kbe_graph.facts.wikidata").joinpath("units.tsv")
    columns = ("unit", "measure", "factor", "offset", "metric")
    return {
        name: Unit(measure, float(factor), float(offset), metric == "yes")
        for _, (name, measure, factor, offset, metric) in rows(file, columns)
    }


def repeats(statements: Sequence[WikiStatement]) -> frozenset[str]:
    """Return the ids of a property's statements that repeat the value of another.

    Metric units are kept in preference, then the first statement.
    """
    repeated: set[str] = set()
    words: set[str] = set()
    measures: list[tuple[str, float]] = []
    for statement in sorted(statements, key=lambda statement: not _is_metric(statement)):
        spoken = {statement.target, statement.text.casefold()} - {""}
        measure = tuple(_measure(statement))
        if spoken & words or any(_is_near(size, other) for size in measure for other in measures):
            repeated.add(statement.id)
        words |= spoken
        measures += measure
    return frozenset(repeated) - {""}


def _is_metric(statement: WikiStatement) -> bool:
    unit = measured_units().get(statement.unit)
    return unit is not None and unit.metric


def _is_near(measure: tuple[str, float], other: tuple[str, float]) -> bool:
    (name, size), (other_name, other_size) = measure, other
    return name == other_name and abs(size - other_size) <= _NEAR * max(abs(size), abs(other_size))


def _measure(statement: WikiStatement) -> Iterator[tuple[str, float]]:
    if statement.kind != "quantity" or statement.unit == ONE or not statement.unit:
        return
    unit = measured_units().get(statement.unit, Unit(statement.unit, 1.0, 0.0, metric=False))
    yield unit.measure, float(json.loads(statement.raw)["amount"]) * unit.factor + unit.offset
