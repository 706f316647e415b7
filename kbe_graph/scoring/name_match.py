"""Matches of an answer with the right one: to the letter, by its normal form, by any of its names, within a text."""

from kbe_graph.english.number import singular
from kbe_graph.scoring.ground_truth import GroundTruth
from kbe_graph.text import fold

_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def exact_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer, letter by letter (KBE, Table 4)."""
    return float(text == ground_truth.answer)


def normalised_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer; case, accents, a leading article, punctuation, spaces do not count."""
    return float(fold(text) == fold(ground_truth.answer))


def alias_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer or an alias of it, in the singular or the plural, numbers also as digits.

    >>> from kbe_graph.scoring.ground_truth import GroundTruth
    >>> alias_match("The two giraffes", GroundTruth("2 giraffe"))
    1.0
    """
    return float(_name_key(text) in map(_name_key, ground_truth.names))


def mention(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the answer or an alias stands anywhere in the text, as words; their number does not count.

    It takes sentences for answers, and a text that names several things is right by each of them: an upper end.

    >>> from kbe_graph.scoring.ground_truth import GroundTruth
    >>> mention("The people are riding on horses.", GroundTruth("horse"))
    1.0
    """
    words = f" {_word_keys(text)} "
    return float(any(f" {_word_keys(name)} " in words for name in ground_truth.names))


def _name_key(text: str) -> str:
    return singular(" ".join(_DIGITS.get(word, word) for word in fold(text).split()))


def _word_keys(text: str) -> str:
    return " ".join(map(_name_key, fold(text).split()))
