"""Checks that reject a fact, a question or an answer, one rule per class (KBE, section 3.2, answer filter).

Representativeness in the paper's sense is the combination of functional, generic and image not needed.
"""

from kbe_graph.checks.check import Check, Entry, FilterSettings, Reads, Row
from kbe_graph.checks.registry import CheckChoice, Checks, Scheme, build_checks, choose_checks, explanations

__all__ = [
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
]
