"""The demands on a benchmark, a table; and what the owner states of one, as cards and descriptions tell it."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kbe_graph.config import Config, refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.files.resources import data, fields, rows

SECTION = "datasheet"  # of kbe.toml: the owner's statements by criterion
NOT_STATED = "not stated"


class Criterion(NamedTuple):
    """A demand: its source, how to meet it, and the ``limit`` of its figure, if it has one.

    ``field`` is the field of Croissant that states it.
    """

    id: str
    demand: str
    source: str
    mend: str
    limit: float
    field: str


@cache
def criteria() -> tuple[Criterion, ...]:
    """Read the table of criteria."""
    table = rows(data("audit/criteria.tsv"), Criterion._fields)
    return tuple(Criterion._make((*own[:4], float(own[4] or 0), *own[5:])) for _, own in table)


def read_statements(config: Config, name: str) -> dict[str, str]:
    """Read the owner's statements from the settings: those for all, and those in the section of a name."""
    section = config.section(SECTION)
    statements = {key: value for key, value in section.items() if not isinstance(value, Mapping)}
    statements |= section.get(name, {})
    for key, value in statements.items():
        refuse_stranger(f"{config.file} [{SECTION}]", key, [each.id for each in criteria()])
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(f"{config.file} [{SECTION}] {key} is {value!r}; it must be text")
    return statements


def stated_fields(statements: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a description in Croissant that the owner states; without that they read *not stated*."""
    described = fields("export/croissant.json")
    stated = {each.field: statements[each.id] for each in criteria() if each.id in statements}
    return {name: words for name, words in stated.items() if described.get(name) == NOT_STATED}
