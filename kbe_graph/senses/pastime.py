"""The sport or game that an answer names: WordNet knows no motocross, and of a frisbee only the toy."""

from kbe_graph.facts.pack import pack
from kbe_graph.question import Reading
from kbe_graph.text import fold

_PETS = {"dog", "cat"}


def pastime(reading: Reading, answer: str) -> str:
    """Return the id of what answers a question for a sport or a game of people, empty for any other."""
    if reading.field != "sport" or not reading.vocabulary.isdisjoint(_PETS):
        return ""
    return pack().names_of("sport").get(fold(answer), "")
