"""Table of Wikidata properties: which make good "what" questions, their wording, and why others do not."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.files.resources import names_in, rows

COLUMNS = ("property", "label", "subject", "question", "mark")
ANY = "*"
"""The property of rows whose words refuse a property by its label."""


class Askable(NamedTuple):
    """A row of the table: the questions for items of a kind, in one or more wordings with ``{}`` for the item.

    ``mark`` is ``choice only`` if several answers are right unless options are given. In a row without questions, it is
    the reason.
    """

    property_id: str
    label: str
    subject: tuple[str, ...]
    questions: tuple[str, ...]
    mark: str


@cache
def table() -> Mapping[str, tuple[Askable, ...]]:
    """Return the rows of the table by property."""
    by_property: dict[str, tuple[Askable, ...]] = {}
    for _, (name, label, subject, question, mark) in rows(
        files("kbe_graph.facts.wikidata").joinpath("askable.tsv"), COLUMNS
    ):
        row = Askable(name, label, names_in(subject), names_in(question), mark)
        by_property[name] = (*by_property.get(name, ()), row)
    return by_property


@cache
def unasked() -> Mapping[str, str]:
    """Return the properties without any question, each with its reason, such as ``private``."""
    return {
        name: askings[0].mark
        for name, askings in table().items()
        if name != ANY and not any(each.questions for each in askings)
    }
