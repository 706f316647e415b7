"""The concept of an answer: a firm or a sport of the packaged facts, or a noun of WordNet."""

import re
from collections.abc import Sequence

from kbe_graph.english.reading import Reading, read
from kbe_graph.english.sense import Link, link_noun
from kbe_graph.facts.pack import pack
from kbe_graph.text import fold

_SURE = 0.9
_TYPES = {"brand", "company", "team"}
_ASKED = re.compile(r"\b(?:brand|company|companies|airlines?|makes?|makers?|made|manufactur\w+|sponsor\w*|teams?)\b")
_SHOP = re.compile(r"\b(?:what|which) (?:[\w-]+ ){0,2}(?:restaurant|store|chain)\b(?! of\b)")
_PETS = {"dog", "cat"}


def link(question: str, answer: str, objects: Sequence[str] = ()) -> Link:
    """Link an answer to the pack's id of a firm or a sport, or to a WordNet noun, or abstain.

    ``objects`` are names of visible objects.
    """
    reading = read(question)
    concept = firm(reading, answer) or sport_or_game(reading, answer)
    return Link(concept, "", _SURE, "name") if concept else link_noun(question, answer, objects)


def firm(reading: Reading, answer: str) -> str:
    """Look up the firm that answers a question for a brand, a company, a store or a team; empty for any other.

    Questions for an airline give none: the pack's Delta makes faucets.
    """
    text = reading.text.lower()
    if not _SHOP.search(text) and (not _ASKED.search(text) or reading.refused_type not in _TYPES):
        return ""
    return "" if "airline" in text else pack().names_of("firm").get(fold(answer), "")


def sport_or_game(reading: Reading, answer: str) -> str:
    """Look up the sport or game that answers a question for one; empty for any other."""
    if reading.field != "sport" or not reading.vocabulary.isdisjoint(_PETS):
        return ""
    return pack().names_of("sport").get(fold(answer), "")
