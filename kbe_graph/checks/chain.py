"""The explored end of a key path, as concepts and relations."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain as joined
from typing import NamedTuple

from kbe_graph.english.concept import kinds_of
from kbe_graph.english.wordnet import wordnet
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Candidate, Entity, Question

_LONGEST = 3  # words in a noun that is looked for in a question
_KEPT = 1 << 12  # texts; a run writes new ones without end, and looks at each a few times in a row


class Chain(NamedTuple):
    """The concepts from the first answer to the current one, the relations between them, and what is seen on the way.

    A concept that is not known is the empty string; ``seen`` are the senses of what lies on the key path before the
    first answer, nearest to it first.
    """

    concepts: tuple[str, ...]
    relations: tuple[str, ...]
    seen: tuple[str, ...]


def chain(question: Question) -> Chain:
    """Return the explored end of the question's key: one relation a hop (KBE: each hop adds one triplet to the key)."""
    explored = question.explored
    seen = (triplet.subject for triplet in reversed(question.root) if triplet.subject != IMAGE)
    return Chain(
        (*(triplet.subject.concept for triplet in explored), question.concept),
        tuple(triplet.relation for triplet in explored),
        tuple(map(concept_of, seen)),
    )


def chain_with_fact(candidate: Candidate) -> Chain:
    """Return the chain with the candidate's fact at its end."""
    concepts, relations, seen = chain(candidate.question)
    fact = candidate.fact
    return Chain((*concepts[:-1], fact.subject_id, fact.object_id), (*relations, fact.relation), seen)


def given_names(candidate: Candidate) -> tuple[str, ...]:
    """Return what the objects along the explored end are called, from the first answer to the current one."""
    question = candidate.question
    return (*(triplet.subject.label for triplet in question.explored), question.end.label)


@lru_cache(_KEPT)
def first_sense(name: str) -> str:
    """Return the id of the most frequent sense of a name, empty where WordNet does not know it."""
    synsets = wordnet().lookup(name).synsets
    return synsets[0].id if synsets else ""


def concept_of(entity: Entity) -> str:
    """Return the concept of an entity, else the most frequent sense of its name, empty where there is neither."""
    return entity.concept or first_sense(entity.name)


@lru_cache(_KEPT)
def nouns_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the nouns of a text, each as the ids of its senses, the most frequent first; longer names come first."""
    words = fold(text.replace("'s ", " ")).split()
    phrases = (
        " ".join(words[at : at + size]) for size in range(_LONGEST, 0, -1) for at in range(len(words) - size + 1)
    )
    # Shoes have a sense of their own, and are several shoes as well.
    forms = joined(phrases, (word.removesuffix("s") for word in words if word.endswith("s")))
    lemmas = dict.fromkeys(lemma for form in forms if (lemma := _noun(form)))
    return tuple(tuple(synset.id for synset in wordnet().synsets(lemma)) for lemma in lemmas)


@lru_cache(1 << 14)
def _noun(form: str) -> str | None:
    return wordnet().morphy(form)


def kinds_in(text: str, concept: str) -> Iterator[str]:
    """Yield the kinds of a WordNet concept, or itself, that a text names: dog in "what breed of dog", for a poodle."""
    if kinds := kinds_of(concept):
        senses = set(joined.from_iterable(nouns_in(text)))
        yield from (kind for kind in kinds if kind in senses)
