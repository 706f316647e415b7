"""Triplets as RDF in Turtle: each as a statement, and once more as a resource that tells its source."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from kbe_graph.files.whole import replacing
from kbe_graph.store.nodes import entity_id
from kbe_graph.types import Entity
from kbe_graph.workspace.values import SampleTriplet

_PREFIXES = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix kbe: <urn:kbe:> .

"""


def write_turtle(file: Path, triplets: Iterable[SampleTriplet]) -> None:
    """Write triplets as Turtle. Raises InputError.

    Entities and relations are resources with a label: ``urn:kbe:entity:ID`` with the id that the graph of the
    workspace has, ``urn:kbe:relation:NAME``. A triplet is one more, an rdf:Statement with ``kbe:graph``,
    ``kbe:source``, ``kbe:source_ref``, ``kbe:evidence``, ``kbe:key_path``, ``kbe:run`` and ``kbe:hop``.
    """
    labels: set[str] = set()
    with replacing(file) as stream:
        stream.write(_PREFIXES)
        for place in triplets:
            for label in _labels(place):
                if label not in labels:
                    labels.add(label)
                    stream.write(label)
            stream.write(_statement(place))


def _labels(place: SampleTriplet) -> Iterator[str]:
    """Give the statements on the entities and the relation of a triplet."""
    for entity in (place.triplet.subject, place.triplet.object):
        concept = f" ; kbe:concept {_literal(entity.concept)}" if entity.concept else ""
        about = f"a kbe:Entity ; rdfs:label {_literal(entity.label)} ; kbe:sample {_literal(place.sample)}"
        yield f"{_entity(place, entity)} {about}{concept} .\n"
    yield f"{_relation(place)} a rdf:Property ; rdfs:label {_literal(place.triplet.relation)} .\n"


def _statement(place: SampleTriplet) -> str:
    """Return a triplet twice: as a statement, and as the resource that tells its source."""
    triplet = place.triplet
    subject, relation, object_ = _entity(place, triplet.subject), _relation(place), _entity(place, triplet.object)
    names = ("graph", "source", "source_ref", "evidence")
    texts = {name: getattr(triplet, name) for name in names} | {"run": place.run}
    origin = [f"kbe:{name} {_literal(text)}" for name, text in texts.items() if text]
    parts = [
        "a rdf:Statement",
        f"rdf:subject {subject}",
        f"rdf:predicate {relation}",
        f"rdf:object {object_}",
        *origin,
        f"kbe:key_path {str(place.key).lower()}",
        f"kbe:hop {place.hop}",
    ]
    name = _resource("triplet", f"{place.sample}|{triplet.graph}|{triplet.id}@{place.run}/{place.hop}")
    return f"{subject} {relation} {object_} .\n{name} {' ; '.join(parts)} .\n"


def _entity(place: SampleTriplet, entity: Entity) -> str:
    return _resource("entity", entity_id(place.sample, entity))


def _relation(place: SampleTriplet) -> str:
    return _resource("relation", place.triplet.relation)


def _resource(kind: str, name: str) -> str:
    return f"<urn:kbe:{kind}:{quote(name, safe='/@')}>"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # the escapes of JSON are escapes of Turtle too
