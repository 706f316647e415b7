"""The noun that a question asks for, as WordNet has it: what may be such a thing."""

from functools import lru_cache

from kbe_graph.english.kinds import kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.question.tidy import rewrite
from kbe_graph.text import fold

CONCRETE = frozenset(
    f"noun.{file}" for file in ("Tops", "animal", "artifact", "body", "food", "object", "plant", "substance")
)
"""The lexicographer files of what can be seen, persons and places apart."""


@lru_cache(1 << 12)
def category(noun: str) -> tuple[Synset, ...]:
    """Return the main senses of the noun that a question asks for: "animal", "breed of dog", "type of vehicle".

    Those that make up a tenth of its tagged uses, the first one in any case; words that ask for nothing by themselves
    (kind, thing, name) have none.
    """
    entry = wordnet().lookup(rewrite("kind of", fold(noun)))
    if entry.lemma in words("vague") or not entry.synsets:
        return ()
    if entry.lemma == "vehicle":  # buses and trains are, though WordNet has them beside vehicles
        return (*entry.synsets[:1], *map(wordnet().synset, kind("conveyance")))
    counts = dict(wordnet().senses(entry.lemma))
    least = sum(counts.values()) / 10 if sum(counts.values()) > 9 else -1
    return tuple(synset for at, synset in enumerate(entry.synsets) if at == 0 or counts.get(synset.id, 0) > least)


def is_kind(concept: str, noun: str) -> bool:
    """Return whether a concept is one of the things that a noun asks for: giraffe for "animal"."""
    return any(wordnet().is_a(concept, synset.id) for synset in category(noun))
