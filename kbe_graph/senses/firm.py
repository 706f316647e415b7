"""The firm or team that an answer names: the pack knows it, where WordNet knows a fruit or nothing of the name."""

import re

from kbe_graph.facts.pack import pack
from kbe_graph.question import Reading
from kbe_graph.text import fold

_TYPES = {"brand", "company", "team"}
_ASKED = re.compile(r"\b(?:brand|company|companies|airlines?|makes?|makers?|made|manufactur\w+|sponsor\w*|teams?)\b")
_SHOP = re.compile(r"\b(?:what|which) (?:[\w-]+ ){0,2}(?:restaurant|store|chain)\b(?! of\b)")
_FLIES = re.compile(r"\b(?:air\w*|(?:aero)?planes?|jets?|fl(?:y|ies|ying|ights?|own))\b")


def firm(reading: Reading, answer: str) -> str:
    """Return the id of the firm that answers a question for a brand, a company, a store or a team, empty for any other.

    An airline is meant where something flies, and nothing else is where an airline is asked for: Delta makes faucets.
    """
    text = reading.text.lower()
    if not _SHOP.search(text) and (not _ASKED.search(text) or reading.refused_type not in _TYPES):
        return ""
    name = fold(answer)
    if _FLIES.search(text) and (airline := pack().names_of("airline").get(name)):
        return airline
    if "airline" in text:
        return ""
    return pack().names_of("firm").get(name, "") or pack().names_of("listed firm").get(name, "")
