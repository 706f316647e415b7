"""Every reason that is counted: the checks with rule and rows, and what ends a sample's way before any check."""

from typing import get_args

from kbe_graph.checks.check import Check
from kbe_graph.checks.entry import Entry, Filters, Group
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.other_reasons import OPINIONS, OTHERS
from kbe_graph.checks.path import PATH_CHECKS, PathLeak
from kbe_graph.checks.preset import FIXED, PAPER, SUM
from kbe_graph.checks.registry import Scheme, build_checks
from kbe_graph.checks.related import RelatedToOriginal
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.errors import ConfigError
from kbe_graph.facts.pack import Pack


def explanations() -> tuple[Entry, ...]:
    """Return all reasons, by stage, those of a stage in the order in which they are met."""
    checks = build_checks(Pack((), {}), FilterSettings(), Scheme(demand="require")).all
    paths = (
        Entry(check.name, "re-selection", check.rule, (), check.refused, check.passed)
        for check in (*PATH_CHECKS, RelatedToOriginal, PathLeak)
    )
    entries = (*paths, *map(_entry, checks), _entry(Guessable), *OPINIONS)
    asked = (entry._replace(filters=_filters(entry.name)) for entry in entries)
    return tuple(sorted((*OTHERS, *asked), key=lambda entry: get_args(Group).index(entry.stage)))


def entry(name: str) -> Entry:
    """Return the reason of this name, or the only one with it as a word, that a table can be tried on.

    Raises ConfigError unless there is exactly one.
    """
    tried = [entry for entry in explanations() if entry.columns]
    matches = [entry for entry in tried if entry.name == name] or [
        entry for entry in tried if name in entry.name.split()
    ]
    if len(matches) != 1:
        names = ", ".join(entry.name for entry in tried)
        raise ConfigError(f"no filter {name!r} that a table can be tried on; there are {names}")
    return matches[0]


def _filters(name: str) -> Filters:
    if name in FIXED:
        return "always"
    return "paper" if name in PAPER | SUM else "all"


def _entry(check: Check | type[Guessable]) -> Entry:
    return Entry(check.name, check.stage, check.rule, check.columns, check.refused, check.passed)
