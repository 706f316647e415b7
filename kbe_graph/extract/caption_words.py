"""Captions without a parser: nouns by WordNet, and links where two of them stand close together."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from kbe_graph.annotations.view import Thing, ThingLink, View
from kbe_graph.english.parse import Word
from kbe_graph.question.phrase import NounPhrase, phrases


def read_words(view: View, words: Sequence[Word]) -> View:
    """Return a caption's view with the things and links found without a parse; its source is ``caption words``."""
    nouns = [phrase for phrase in phrases(words) if phrase.seen]
    things = tuple(Thing(str(phrase.start), phrase.name, attributes=phrase.adjectives) for phrase in nouns)
    links = tuple(link for pair in pairwise(nouns) for link in _link(words, nouns[0], pair))
    return replace(view, source="caption words", things=things, links=links)


def _link(words: Sequence[Word], leader: NounPhrase, pair: tuple[NounPhrase, NounPhrase]) -> Iterator[ThingLink]:
    """Return the link of two phrases with a preposition between them, or a verb: that one is the first phrase's."""
    first, second = pair
    between = words[first.end : second.start]
    verbs = [word for word in between if word.fine in ("VBG", "VBN")]
    rest = [word for word in between if word.tag == "ADP"]
    if between and len(verbs) <= 1 and len(rest) <= 1 and len(verbs) + len(rest) == len(between):
        subject = leader if verbs else first
        yield ThingLink(str(subject.start), " ".join(word.low for word in between), str(second.start))
