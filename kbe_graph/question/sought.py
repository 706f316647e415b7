"""The noun that a question asks for, as WordNet has it: what may be such a thing."""

from collections.abc import Mapping
from functools import cache, lru_cache

from kbe_graph.english.kinds import is_of_kind, kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.question.patterns import meaning
from kbe_graph.question.rewrites import rewrite
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


def may_be(synset: Synset, noun: str) -> bool:
    """Return whether something can be called by a noun: a giraffe an animal, an aspen no place.

    It lies below a sense of the noun, or its file is one that the noun allows (``fits.tsv``, by WordNet's lexicographer
    files). Where a noun says too little (event, design), anything may be called so.
    """
    files = _allowed(noun)
    return not files or is_kind(synset.id, noun) or synset.lexname.removeprefix("noun.") in files


@lru_cache(1 << 10)
def _allowed(noun: str) -> frozenset[str]:
    """Return the files of what a noun may stand for, none where it says too little."""
    if field := meaning("sought", noun):
        return _fits().get(field, frozenset())
    kinds = [_allowed_by(kind) for kind in category(noun) if kind.lexname in CONCRETE | {"noun.person"}]
    first = next((kind.lexname for kind in category(noun)), "")
    seen = first in CONCRETE | {"noun.person"}
    return frozenset[str]().union(*kinds) if seen and all(kinds) else frozenset()


def _allowed_by(kind: Synset) -> frozenset[str]:
    made = next((name for name in ("instrumentality", "clothing") if is_of_kind(kind.id, name)), "")
    return _fits().get(made or kind.lexname.removeprefix("noun."), frozenset())


@cache
def _fits() -> Mapping[str, frozenset[str]]:
    return {called: frozenset(files.split()) for _, (called, files) in rows(data("fits.tsv"), ("called", "answer"))}
