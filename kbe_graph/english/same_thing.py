"""Comparison of answers: whether two people may have named the same thing."""

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from difflib import SequenceMatcher
from functools import lru_cache

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.number import singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.text import fold

_NEAR = 0.7  # similarity from which spellings count as the same
_KEPT = 1 << 14


@lru_cache(_KEPT)
def is_other_name(answer: str, other: str) -> bool:
    """Return True if two answers may name the same thing.

    They share a word, have almost the same spelling, or are synonyms or hypernyms of each other in WordNet.

    >>> is_other_name("couch", "sofa"), is_other_name("dog", "poodle"), is_other_name("mac", "windows")
    (True, True, False)
    """
    names = fold(answer), fold(other)
    if not set(lemmas(names[0])).isdisjoint(lemmas(names[1])) or SequenceMatcher(None, *names).ratio() > _NEAR:
        return True
    senses, others = ({synset.id for synset in wordnet().lookup(name).synsets} for name in names)
    return not senses.isdisjoint(others | _above(others)) or not others.isdisjoint(_above(senses))


def without_names(answer: str, others: Iterable[str]) -> tuple[str, ...]:
    """Drop the answers that may name the same thing as ``answer``.

    >>> without_names("sofa", ("couch", "chair"))
    ('chair',)
    """
    return tuple(other for other in others if not is_other_name(answer, other))


def _above(senses: Iterable[str]) -> set[str]:
    return {kind for sense in senses for kind in wordnet().hypernyms(sense)}


def is_sibling(answer: str, other: str) -> bool:
    """Return True if the first senses of two answers share a direct hypernym: dog and wolf.

    >>> is_sibling("dog", "wolf"), is_sibling("snow", "skiing")
    (True, False)
    """
    parents = [_parents(name) for name in (answer, other)]
    return not parents[0].isdisjoint(parents[1])


def _parents(name: str) -> frozenset[str]:
    senses = wordnet().lookup(name).synsets[:1]
    return frozenset(kind for sense in senses for kind in wordnet().synset(sense.id).hypernyms)


_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}
_NUMBER = re.compile(r"[=≈~]?\s*(?P<minus>[-−]?)\s*(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<rest>\.\d+)?\s*%?\.?")
_SIGNS = re.compile(r"[<>≤≥≠]|(?<!\w)[-−](?=\s*\.?\d)|(?<=\w)#")


def name_key(text: str) -> str:
    """Fold a name, with plurals and number words normalised.

    >>> name_key("The two giraffes")
    '2 giraffe'
    """
    return singular(" ".join(_DIGITS.get(word, word) for word in fold(text).split()))


def same_answer(text: str, name: str, key: Callable[[str], str] = name_key) -> bool:
    """Return True if two answers have the same key; two numbers are compared as numbers, and signs count.

    >>> same_answer("12,345", "12345.0"), same_answer("-5", "5")
    (True, False)
    """
    number, other = _number_in(text), _number_in(name)
    if number is not None and other is not None:
        return number == other
    return key(text) == key(name) and _signs_in(text) == _signs_in(name)


def _number_in(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    size = Decimal(match["digits"].replace(",", "") + (match["rest"] or ""))
    return -size if match["minus"] else size


def _signs_in(text: str) -> list[str]:
    return [sign.replace("−", "-") for sign in _SIGNS.findall(text)]
