"""Packaged facts as items with statements, so that a small corpus has options such as countries and rivers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.rules import properties
from kbe_graph.types import Fact, WikiItem, WikiStatement

NEAREST = 3  # nearest kinds of a thing, from itself upwards


def packaged_items(pack: Pack) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    """Yield the things of a pack that have relations mapped to properties, and the objects of these relations."""
    names = _property_names()
    facts: dict[str, list[Fact]] = defaultdict(list)
    for fact in pack.facts:
        if fact.relation in names and fact.review != "rejected":
            facts[fact.subject_id].append(fact)
    things = dict.fromkeys((*facts, *(fact.object_id for each in facts.values() for fact in each)))
    for thing in things:
        statements = tuple(_statement(fact, names[fact.relation]) for fact in facts.get(thing, ()))
        yield _item(thing, pack), statements


def _property_names() -> Mapping[str, str]:
    return {relation.name: name for name, relation in properties().items() if not relation.protected}


def _item(thing: str, pack: Pack) -> WikiItem:
    synset = synset_of(thing)
    own = 0 if synset is None or synset.instance else 1  # the kinds of a named river start above it
    kinds = kinds_of(thing)[1 - own : 1 - own + NEAREST]
    labels = tuple(kind.lemmas[0] for each in kinds if (kind := synset_of(each)))
    return WikiItem(thing, pack.label(thing), aliases=pack.aliases(thing), kinds=kinds, kind_labels=labels)


def _statement(fact: Fact, property_id: str) -> WikiStatement:
    id_ = f"{fact.subject_id} {property_id} {fact.object_id}"
    return WikiStatement(
        id_, fact.subject_id, property_id, fact.relation, "wikibase-item", "item", fact.object_id, fact.object
    )
