"""The usual sense of a word for a thing seen in pictures: a plate is a dish, unless an umpire stands at it."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.files.resources import data
from kbe_graph.text import fold

NONE = "-"


class Usual(NamedTuple):
    """A concept (``NONE`` where WordNet has no noun for the thing), and the words beside which the name means it.

    Without words it is what the name means as a rule.
    """

    concept: str
    beside: frozenset[str]


@cache
def _table() -> Mapping[str, tuple[Usual, ...]]:
    table: dict[str, tuple[Usual, ...]] = {}
    for line in data("seen.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, concept, beside, _ = line.split("\t")
            table[word] = (*table.get(word, ()), Usual(concept, frozenset(beside.split())))
    return table


def usual(name: str, words: Collection[str] = (), seen: Collection[str] = ()) -> Usual | None:
    """Return what a name means in a picture, given the words of the question and of what is seen; None for other names.

    The sense beside most of the words wins over what the name means as a rule; a question's word over any that is seen.
    """
    rows = _table().get(fold(name)) or _table().get(wordnet().base(fold(name)) or "", ())
    asked, near = frozenset(words), frozenset(seen)
    beside = {row: (len(row.beside & asked), len(row.beside & near)) for row in rows}
    best = max(beside, key=lambda row: beside[row], default=None)
    if best and any(beside[best]):
        return best
    return next((row for row in rows if not row.beside), None)
