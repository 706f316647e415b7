"""Triplets as rows: entities and edges of graphs, what hops added to them, and keys; ids are told in ``rows``."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kbe_graph.english.kinds import entity_type
from kbe_graph.store.row_check import check_edge
from kbe_graph.store.rows import Row, entity_id
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Graph, Question, Triplet

ENTITY = ("term", "name", "number", "noun", "concept", "type")


def entity_rows(sample: str, triplets: Iterable[Triplet]) -> list[Row]:
    """Return the entities of the triplets, each once; of two that share a key the first one stays."""
    entities: dict[str, Entity] = {}
    for triplet in triplets:
        for entity in (triplet.subject, triplet.object):
            entities.setdefault(entity_id(sample, entity), entity)
    return [_entity_row(id_, sample, entity) for id_, entity in sorted(entities.items())]


def _entity_row(id_: str, sample: str, entity: Entity) -> Row:
    term = fold(entity.name)
    values = {"name": entity.name, "number": entity.number, "noun": entity.noun, "concept": entity.concept}
    values["type"] = entity_type(entity.name, entity.concept)
    return {"id": id_, "properties": {"sample": sample, "term": term, **values}}


def is_rows(entities: Sequence[Row]) -> list[Row]:
    """Return the edges from entities to their terms; the root IMAGE has none, as every sample would share it."""
    terms = [(row["id"], row["properties"]["term"], row["properties"]["name"]) for row in entities]
    return [{"subject": id_, "object": term} for id_, term, name in terms if name != "IMAGE"]


def graph_row(sample: str, visual: Sequence[Triplet], textual: Sequence[Triplet]) -> Row:
    """Return the graph of a sample as a row of ``create_graphs``, whose header tells the places of its lists.

    Each triplet stands there once, with its position among those of its kind.
    """
    entities = entity_rows(sample, (*visual, *textual))
    places = {row["id"]: place for place, row in enumerate(entities)}
    return {
        "id": sample,
        "roots": [places[id_] for id_ in (entity_id(sample, IMAGE),) if id_ in places],
        "entities": [[row["id"], *(row["properties"][name] for name in ENTITY)] for row in entities],
        "links": [[places[row["subject"]], row["object"]] for row in is_rows(entities)],
        "visual": _edges(sample, visual, places),
        "textual": _edges(sample, textual, places),
    }


def _edges(sample: str, triplets: Iterable[Triplet], places: Mapping[str, int]) -> list[list[Any]]:
    rows: dict[str, list[Any]] = {}
    for position, triplet in enumerate(triplets):
        id_ = f"{sample}|{triplet.id}"
        ends = (places[entity_id(sample, entity)] for entity in (triplet.subject, triplet.object))
        rows.setdefault(id_, [*ends, id_, position, _draw(id_, triplet), *_origin(triplet).values()])
    return [rows[id_] for id_ in sorted(rows)]


def edge_draw(sample: str, triplet: Triplet) -> int:
    """Return the number that a draw among paths goes by: another one where both graphs hold the same triplet."""
    return _draw(f"{sample}|{triplet.id}", triplet)


def _draw(id_: str, triplet: Triplet) -> int:
    return zlib.crc32((id_ if triplet.graph == "visual" else f"{id_}|{triplet.graph}").encode())


def explored_rows(question: Question) -> list[Row]:
    """Return the triplets that hops added to a key as edges of its run; writing leaves out those of the own graph."""
    rows = []
    for position, triplet in enumerate(question.explored, start=len(question.root)):
        own = f"{question.sample}|{triplet.id}"
        about = {"sample": question.sample, "hop": question.hop, "run": question.run, "question": question.id}
        values = about | {"position": position}
        row = _edge_row(f"{own}@{question.run}", question.sample, triplet, values | {"draw": zlib.crc32(own.encode())})
        rows.append(row | {"own": own})
    return rows


def _edge_row(id_: str, sample: str, triplet: Triplet, own: Row) -> Row:
    return {
        "id": id_,
        "subject": entity_id(sample, triplet.subject),
        "object": entity_id(sample, triplet.object),
        "properties": own | _origin(triplet),
    }


def _origin(triplet: Triplet) -> Row:
    return {
        "relation": triplet.relation,
        "source": triplet.source,
        "source_ref": triplet.source_ref,
        "evidence": triplet.evidence,
    }


def key_rows(question: Question) -> list[Row]:
    """Return the key edges of a question, which carry the object as this question's run wrote it."""
    return [_key_row(question, position, triplet) for position, triplet in enumerate(question.key)]


def _key_row(question: Question, position: int, triplet: Triplet) -> Row:
    entity = triplet.object
    own = {
        "question": question.id,
        "sample": question.sample,
        "run": question.run,
        "hop": question.hop,
        "position": position,
        "graph": triplet.graph,
        "triplet": f"{question.sample}|{triplet.id}",
        "name": entity.name,
        "noun": entity.noun,
        "concept": entity.concept,
    }
    return _edge_row(f"{question.id}|{position:03}", question.sample, triplet, own)


def triplet_of(edge: Sequence[Any], subject: Entity | None = None) -> Triplet:
    """Return the triplet of an edge as ``graphs`` and ``keys`` give it, of this subject where it is given."""
    graph, _, relation, source, source_ref, evidence, *ends = edge
    kind: Graph = "visual" if graph == "visual" else "textual"
    first, last = subject or Entity(*ends[:4]), Entity(*ends[4:])
    return Triplet(first, relation, last, kind, source or "", source_ref or "", evidence or "")


def key_of(question: str, edges: Iterable[Sequence[Any]]) -> tuple[Triplet, ...]:
    """Return the key subgraph of a question, in order; beside each edge stand the ids of its subject and its object.

    A subject is the object of an earlier edge, where there is one: so an entity reads as the question's own run wrote
    it.
    """
    met: dict[str, Entity] = {}
    triplets = []
    checked = [(check_edge("key of question", question, edge), *ids) for edge, *ids in edges]
    for edge, subject, thing in sorted(checked, key=lambda row: int(row[0][1])):
        triplets.append(triplet_of(edge, met.get(subject)))
        met.setdefault(thing, triplets[-1].object)
    return tuple(triplets)
