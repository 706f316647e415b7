"""Noun phrases of tagged words."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.english.compound import is_compound
from kbe_graph.english.inflect import singular
from kbe_graph.english.parse import Word
from kbe_graph.english.words import words

POINTING = frozenset({"this", "that", "these", "those"})
ASKING = frozenset({"what", "which", "whose"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase from word ``start`` up to ``end``.

    ``name`` is its compound noun in the singular (tennis racket), ``head`` the last word of that; ``determiner`` what
    it begins with (this, the, his, what), empty where nothing.
    """

    start: int
    end: int
    name: str
    head: str
    determiner: str = ""
    adjectives: tuple[str, ...] = ()

    @property
    def pointing(self) -> bool:
        """Whether it points into the picture: this animal."""
        return self.determiner in POINTING

    @property
    def seen(self) -> bool:
        """Whether it may name a thing, not the picture or a place in it."""
        return self.head not in words("no things")


def phrases(text: Sequence[Word]) -> tuple[NounPhrase, ...]:
    """Return the noun phrases of a text in order; a determiner begins a new one."""
    runs: list[list[Word]] = [[]]
    for word, after in zip(text, (*text[1:], text[-1]), strict=True) if text else ():
        if _begins(word) or not _belongs(word, after, runs[-1]):
            runs.append([])
        if _begins(word) or _belongs(word, after, runs[-1]):
            runs[-1].append(word)
    return tuple(_phrase(run) for run in runs if any(word.noun for word in run))


def _begins(word: Word) -> bool:
    return word.tag == "DET" or word.fine == "PRP$" or word.low in POINTING | ASKING


def _belongs(word: Word, after: Word, run: Sequence[Word]) -> bool:
    past_noun = bool(run) and run[-1].noun
    if word.noun:
        return True
    if word.tag in ("ADJ", "NUM"):
        return not past_noun
    return bool(run) and not past_noun and word.fine in ("VBN", "VBG") and after.noun


def _phrase(run: Sequence[Word]) -> NounPhrase:
    nouns = [word for word in run if word.noun]
    before = [word for word in run if not word.noun and not _begins(word)]
    name, used = _name(before, [word.low for word in nouns])
    adjectives = (word.low for word in before[: len(before) - used] if word.low not in words("no attributes"))
    determiner = run[0].low if _begins(run[0]) else ""
    return NounPhrase(run[0].at, nouns[-1].at + 1, name, singular(nouns[-1].low), determiner, tuple(adjectives))


def _name(before: Sequence[Word], nouns: Sequence[str]) -> tuple[str, int]:
    """Return the compound noun, and how many adjectives are part of it: hot dog, stuffed animal."""
    name = " ".join((*nouns[:-1], singular(nouns[-1])))
    return (f"{before[-1].low} {name}", 1) if before and is_compound(before[-1].low, name) else (name, 0)
