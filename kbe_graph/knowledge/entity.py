"""Looks an entity up in a pack, by concept id or by name."""

from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.knowledge.pack import Pack
from kbe_graph.lexicon.concept import synset_of
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.text import fold
from kbe_graph.types import Fact


class Known(NamedTuple):
    """What a pack knows of a concept: its name, other names, and facts, its own first (rejected ones too), then those of its kinds."""

    concept: str
    label: str
    aliases: tuple[str, ...]
    facts: tuple[Fact, ...]


def known(pack: Pack, entity: str) -> tuple[Known, ...]:
    """Return what the pack knows of the concept of this id, or of all that bear this name; raises InputError for nothing."""
    found = tuple(one for concept in _concepts(pack, entity) if (one := _known(pack, concept)).facts)
    if not found:
        raise InputError(f"no fact about {entity!r}; give a concept id such as 'wn30:02084071-n', or another name")
    return found


def _concepts(pack: Pack, entity: str) -> tuple[str, ...]:
    if any(entity in (fact.subject_id, fact.object_id) for fact in pack.facts):
        return (entity,)
    if entity.startswith("wn30:"):
        return (entity,) if synset_of(entity) else ()
    senses = (synset.id for synset in wordnet().lookup(entity).synsets)
    wanted = fold(entity)
    named = (fact.subject_id for fact in pack.facts if fold(fact.subject) == wanted)
    other = (concept for concept, names in pack.names.items() if wanted in map(fold, names))
    return tuple(dict.fromkeys((*senses, *named, *other)))


def _known(pack: Pack, concept: str) -> Known:
    own = tuple(fact for fact in pack.facts if fact.subject_id == concept)
    inherited = tuple(fact for fact in pack.facts_about(concept) if fact not in own)
    synset = synset_of(concept)
    label = pack.label(concept) or (synset.lemmas[0] if synset else concept)
    return Known(concept, label, pack.aliases(concept), own + inherited)
