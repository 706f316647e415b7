"""Looks an entity up in a pack, by concept id or by name."""

from typing import NamedTuple

from kbe_graph.english.concept import synset_of
from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import InputError
from kbe_graph.facts.pack import Pack
from kbe_graph.text import fold
from kbe_graph.types import Fact


class EntityFacts(NamedTuple):
    """What a pack knows of a concept: its name, other names, and facts.

    Its own facts come first (rejected ones too), then those of its kinds.
    """

    concept: str
    label: str
    aliases: tuple[str, ...]
    facts: tuple[Fact, ...]


def look_up(pack: Pack, entity: str) -> tuple[EntityFacts, ...]:
    """Return what the pack knows of the concept of this id, or of all with this name; raises InputError for nothing."""
    entities = tuple(_facts_of(pack, concept) for concept in _concepts(pack, entity))
    described = tuple(about for about in entities if about.facts)
    if not described:
        raise InputError(f"no fact about {entity!r}; give a concept id such as 'wn30:02084071-n', or another name")
    return described


def _concepts(pack: Pack, entity: str) -> tuple[str, ...]:
    if any(entity in (fact.subject_id, fact.object_id) for fact in pack.facts):
        return (entity,)
    if entity.startswith("wn30:"):
        return (entity,) if synset_of(entity) else ()
    senses = (synset.id for synset in wordnet().lookup(entity).synsets)
    wanted = fold(entity)
    subjects = (fact.subject_id for fact in pack.facts if fold(fact.subject) == wanted)
    aliased = (concept for concept, names in pack.names.items() if wanted in map(fold, names))
    return tuple(dict.fromkeys((*senses, *subjects, *aliased)))


def _facts_of(pack: Pack, concept: str) -> EntityFacts:
    own = tuple(fact for fact in pack.facts if fact.subject_id == concept)
    inherited = tuple(fact for fact in pack.facts_about(concept) if fact not in own)
    synset = synset_of(concept)
    label = pack.label(concept) or (synset.lemmas[0] if synset else concept)
    return EntityFacts(concept, label, pack.aliases(concept), own + inherited)
