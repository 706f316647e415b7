"""All that refuses a fact, a question or the answer of a run, one rule a file (KBE, section 3.2, answer filter).

Representativeness in the paper's sense is the sum of functional, generic and image not needed.
"""

from kbe_graph.checks.check import Check, Reads
from kbe_graph.checks.choice import choose_checks
from kbe_graph.checks.entry import Entry
from kbe_graph.checks.explained import explanations
from kbe_graph.checks.registry import OFFLINE, CheckChoice, Checks, Scheme, build_checks
from kbe_graph.checks.row import Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.checks.trial import try_check

__all__ = [
    "OFFLINE",
    "Check",
    "CheckChoice",
    "Checks",
    "Entry",
    "FilterSettings",
    "Reads",
    "Row",
    "Scheme",
    "build_checks",
    "choose_checks",
    "explanations",
    "try_check",
]
