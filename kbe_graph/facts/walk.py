"""Lookup of entities and answers in a pack, and walks along its facts: ends of relation chains, and distances."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.brief import brief, readable
from kbe_graph.english.reading import Reading, read
from kbe_graph.english.sense import Link, link_noun
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import synset_of
from kbe_graph.errors import InputError
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.text import fold
from kbe_graph.types import Fact

_KEPT = 1 << 15  # a run of 5,000 questions takes about 19,000 steps
Edge = tuple[str, str, str]
"""A fact by subject id, relation and object id."""


class Walk:
    """Walks over one pack; look-ups are cached, so create one per run."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack

    @lru_cache(_KEPT)  # noqa: B019 - a walk lives as long as its run
    def step(self, concept: str, relation: str) -> tuple[str, ...]:
        """Return the ids of all objects of a concept under a relation."""
        return tuple(dict.fromkeys(fact.object_id for fact in self.pack.ask(concept, relation)))

    def knows(self, relations: Sequence[str]) -> bool:
        """Return True if the pack has all the relations; those worded by a model may be missing, and lead nowhere."""
        return all(relation in self.pack.relations for relation in relations)

    def follow(self, concept: str, relations: Sequence[str], *, without: Edge | None = None) -> tuple[str, ...]:
        """Return the concept ids at the end of a chain of relations, ignoring the fact ``without``."""
        if not self.knows(relations):
            return ()
        ends: tuple[str, ...] = (concept,)
        for relation in relations:
            edges = ((start, relation, end) for start in ends for end in self.step(start, relation))
            ends = tuple(dict.fromkeys(edge[2] for edge in edges if edge != without))
        return ends

    def label(self, concept: str) -> str:
        """Return a printable name of a concept: the pack's label, the first lemma of a WordNet synset, or its id."""
        return _label(self.pack, concept)

    @lru_cache(_KEPT)  # noqa: B019
    def names(self, concept: str) -> frozenset[str]:
        """Return the folded names of a concept: the pack's label and aliases, and the lemmas of a WordNet synset."""
        synset = synset_of(concept)
        lemmas = synset.lemmas if synset else ()
        return frozenset(
            fold(name) for name in (self.pack.label(concept), *self.pack.aliases(concept), *lemmas) if name
        )

    @lru_cache(_KEPT)  # noqa: B019
    def distances(self, concept: str, hops: int) -> Mapping[str, int]:
        """Return the number of facts from a concept to each concept within ``hops``, by id and by folded name."""
        by_id = self.pack.reachable(concept, hops) if concept and hops > 0 else {}
        by_name: dict[str, int] = {}
        for near, distance in by_id.items():
            for name in self.names(near):
                by_name[name] = min(distance, by_name.get(name, distance))
        return by_name | by_id


def _label(pack: Pack, concept: str) -> str:
    synset = synset_of(concept)
    return pack.label(concept) or (synset.lemmas[0] if synset else concept)


@brief()
class EntityFacts(NamedTuple):
    """A concept with its label, other names, and facts in a pack.

    Its own facts come first (including rejected ones), then inherited ones.
    """

    concept: str
    label: str
    aliases: tuple[str, ...]
    facts: tuple[Fact, ...]


@readable
def facts_about(entity: str) -> tuple[EntityFacts, ...]:
    """Look up a concept by its id, or all concepts of a name, with all their packaged facts and aliases.

    Raises InputError if nothing is known.

    >>> italy, *_ = kbe.facts_about("Italy")
    >>> [fact.object for fact in italy.facts if fact.relation == "capital"]
    ['Rome']
    """
    return look_up(pack(), entity)


def look_up(pack: Pack, entity: str) -> tuple[EntityFacts, ...]:
    """Return the facts of the concept with this id, or of all with this name; raises InputError if there are none."""
    entities = tuple(_facts_of(pack, concept) for concept in _concepts(pack, entity))
    described = tuple(about for about in entities if about.facts)
    if not described:
        lacks = "" if ":" in entity or wordnet().synsets(fold(entity)) else " (WordNet lacks the word)"
        raise InputError(
            f"no fact about {entity!r}{lacks}; give a concept id such as 'wn30:02084071-n', or another name"
        )
    return described


def _concepts(pack: Pack, entity: str) -> tuple[str, ...]:
    if any(entity in (fact.subject_id, fact.object_id) for fact in pack.facts):
        return (entity,)
    if entity.startswith("wn30:"):
        return (entity,) if synset_of(entity) else ()
    found = wordnet().lookup(entity)
    # a name that ends in another name is not that: Air Canada is no Canada
    senses = (synset.id for synset in found.synsets if not (found.head and synset.instance))
    wanted = fold(entity)
    subjects = (fact.subject_id for fact in pack.facts if fold(fact.subject) == wanted)
    aliased = (concept for concept, names in pack.names.items() if wanted in map(fold, names))
    return tuple(dict.fromkeys((*senses, *subjects, *aliased)))


def _facts_of(pack: Pack, concept: str) -> EntityFacts:
    own = tuple(fact for fact in pack.facts if fact.subject_id == concept)
    inherited = tuple(fact for fact in pack.facts_about(concept) if fact not in own)
    return EntityFacts(concept, _label(pack, concept), pack.aliases(concept), own + inherited)


_SURE = 0.9
_TYPES = {"brand", "company", "team"}
_ASKED = re.compile(r"\b(?:brand|company|companies|airlines?|makes?|makers?|made|manufactur\w+|sponsor\w*|teams?)\b")
_SHOP = re.compile(r"\b(?:what|which) (?:[\w-]+ ){0,2}(?:restaurant|store|chain)\b(?! of\b)")
_PETS = {"dog", "cat"}


def link(question: str, answer: str, objects: Sequence[str] = ()) -> Link:
    """Link an answer to the pack's id of a firm or a sport, or to a WordNet noun, or abstain.

    ``objects`` are names of visible objects.
    """
    reading = read(question)
    concept = firm(reading, answer) or sport_or_game(reading, answer)
    return Link(concept, "", _SURE, "name") if concept else link_noun(question, answer, objects)


def firm(reading: Reading, answer: str) -> str:
    """Look up the firm that answers a question for a brand, a company, a store or a team; empty for any other.

    Questions for an airline give none: the pack's Delta makes faucets.
    """
    text = reading.text.lower()
    if not _SHOP.search(text) and (not _ASKED.search(text) or reading.refused_type not in _TYPES):
        return ""
    return "" if "airline" in text else pack().names_of("firm").get(fold(answer), "")


def sport_or_game(reading: Reading, answer: str) -> str:
    """Look up the sport or game that answers a question for one; empty for any other."""
    if reading.field != "sport" or not reading.vocabulary.isdisjoint(_PETS):
        return ""
    return pack().names_of("sport").get(fold(answer), "")
