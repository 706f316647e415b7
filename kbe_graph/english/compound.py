"""Names of kinds of thing that are made of an adjective and a noun: hot dog, polar bear."""

from kbe_graph.english.inflect import plural
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words

_KINDS = {"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.plant"}


def is_compound(adjective: str, noun: str) -> bool:
    """Return whether an adjective and a noun are the name of a kind of thing: hot dog, polar bear, stuffed animal."""
    if adjective in words("no kinds"):
        return False
    if f"{adjective} {noun}" in words("compounds"):
        return True
    synsets = wordnet().synsets(f"{adjective} {noun}") or wordnet().synsets(f"{adjective} {plural(noun)}")
    kinds = [synset for synset in synsets if synset.lexname in _KINDS and not synset.instance]
    if adjective not in ("black", "white") and not wordnet().is_colour(adjective):
        return bool(kinds)
    grown = [synset for synset in kinds if synset.lexname != "noun.object"]
    return any(wordnet().is_a(kind.id, synset.id) for kind in grown for synset in wordnet().synsets(noun))
