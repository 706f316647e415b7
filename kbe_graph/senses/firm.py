"""The firm or team that an answer names: the pack knows it, where WordNet knows a fruit or nothing of the name."""

import re

from kbe_graph.facts.pack import pack
from kbe_graph.question import Reading
from kbe_graph.text import fold

_TYPES = {"brand", "company", "team"}
_ASKED = re.compile(r"\b(?:brand|company|companies|airlines?|makes?|makers?|made|manufactur\w+|sponsor\w*|teams?)\b")
_SHOP = re.compile(r"\b(?:what|which) (?:[\w-]+ ){0,2}(?:restaurant|store|chain)\b(?! of\b)")


def firm(reading: Reading, answer: str) -> str:
    """Return the id of the firm that answers a question for a brand, a company, a store or a team, empty for any other.

    None is meant where an airline is asked for: Delta makes faucets.
    """
    text = reading.text.lower()
    if not _SHOP.search(text) and (not _ASKED.search(text) or reading.refused_type not in _TYPES):
        return ""
    return "" if "airline" in text else pack().names_of("firm").get(fold(answer), "")
