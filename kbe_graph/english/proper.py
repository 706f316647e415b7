"""Proper names: which noun phrases are names of single things, and which of those take "the"."""

import re

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.text import fold

_NAMING = {"noun.location", "noun.communication", "noun.group", "noun.time", "noun.cognition"}
_THE_ENDING = re.compile(
    r"(?:ocean|sea|river|desert|canal|gulf|peninsula|mountains|islands|republic|kingdom|states|emirates|empire|union|"
    r"philippines|bahamas|maldives|seychelles|tower of .*|statue of .*|house of .*|city of .*|isle of .*|"
    r"republic of .*)$"
)


def names(noun_phrase: str) -> tuple[Synset, ...]:
    """Return the senses of a phrase that are names: single things; languages, faiths, days, groups in capitals."""
    folded = fold(noun_phrase)
    synsets = wordnet().synsets(folded)
    return tuple(
        synset for synset in synsets if _capital(synset, folded) and (synset.instance or synset.lexname in _NAMING)
    )


def _capital(synset: Synset, folded: str) -> bool:
    return any(lemma != lemma.lower() and not lemma.isupper() for lemma in synset.lemmas if fold(lemma) == folded)


def is_proper(noun_phrase: str) -> bool:
    """Return whether a noun phrase is a proper name.

    That is where WordNet's first sense of it is one, unless the phrase is in small letters and is as often a common
    noun (jersey); or where WordNet does not know it and each word has its capital.
    """
    senses = wordnet().senses(noun_phrase)
    if senses:
        proper = {synset.id for synset in names(noun_phrase)}
        common = sum(count for synset_id, count in senses if synset_id not in proper)
        small = noun_phrase == noun_phrase.lower() and 1 < len(senses) > len(proper)
        return senses[0][0] in proper and not (small and senses[0][1] <= common)
    capital = all(word[:1].isupper() or word.isdigit() for word in noun_phrase.split())
    return noun_phrase[:1].isupper() and not noun_phrase.isupper() and capital


def takes_the(name: str) -> bool:
    """Return whether a proper name is used with "the" (the Nile, the United States, the Pacific Ocean; but Italy)."""
    folded = fold(name)
    if folded in words("the names") or _THE_ENDING.search(folded):
        return True
    return bool(senses := names(name)) and all(is_of_kind(synset.id, "with the") for synset in senses)
