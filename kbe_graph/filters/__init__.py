"""Filters: what a candidate must pass, one rule a file (KBE, section 3.2, answer filter).

Representativeness in the paper's sense is the sum of functional, generic, blind and concentration.
"""

from kbe_graph.filters.catalogue import Entry, build, catalogue
from kbe_graph.filters.row import Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.filters.trial import try_filter

__all__ = ["Entry", "FilterSettings", "Row", "build", "catalogue", "try_filter"]
