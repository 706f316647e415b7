"""Concept ids as WordNet nouns, where they are: other sources' ids (taxa, currencies, nicknames of a noun) are none."""

import re

from kbe_graph.english.wordnet import Synset, wordnet

_SYNSET = re.compile(r"wn30:\d{8}-n")


def synset_of(concept: str) -> Synset | None:
    """Return the WordNet noun of a concept id, None for one of another source; raises ResourceError if unknown."""
    return wordnet().synset(concept) if _SYNSET.fullmatch(concept) else None


def kinds_of(concept: str) -> tuple[str, ...]:
    """Return a WordNet noun and all its hypernyms, nearest first; nothing for an id of another source."""
    return (concept, *wordnet().hypernyms(concept)) if _SYNSET.fullmatch(concept) else ()
