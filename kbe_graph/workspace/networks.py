"""The graphs of samples as networkx and py2neo have them, and as GraphML, which Gephi, yEd and Cytoscape read."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.extras import require_extra
from kbe_graph.files.whole import replacing
from kbe_graph.store.nodes import entity_id
from kbe_graph.types import Entity
from kbe_graph.workspace.values import SampleTriplet

if TYPE_CHECKING:
    import networkx as nx

Properties = dict[str, str | int | bool]
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def network(triplets: Iterable[SampleTriplet]) -> "nx.MultiDiGraph":
    """Return the triplets of one sample as a graph.

    A node is an entity's key, with ``name``, ``noun`` and ``concept``; an edge a triplet, with ``relation``, ``graph``,
    ``source``, ``source_ref``, ``evidence``, ``key_path``, ``run`` and ``hop``.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for place in triplets:
        subject, object_ = place.triplet.subject, place.triplet.object
        for entity in (subject, object_):
            graph.add_node(entity.key, **_node(entity))
        graph.add_edge(subject.key, object_.key, **_edge(place))
    return graph


def write_graphml(file: Path, triplets: Iterable[SampleTriplet]) -> None:
    """Write the triplets of any samples as GraphML, each sample a part of its own.

    Nodes and edges are those of ``network``, nodes with their ``sample`` too. A sign that XML cannot hold becomes the
    replacement character. Raises InputError.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for number, place in enumerate(triplets, 1):
        for id_, entity in _ends(place):
            graph.add_node(_text(id_), sample=_text(place.sample), **_plain(_node(entity)))
        subject, object_ = (_text(id_) for id_, _ in _ends(place))
        graph.add_edge(subject, object_, key=str(number), **_plain(_edge(place)))
    with replacing(file) as stream:
        nx.write_graphml_xml(graph, stream.buffer)


def subgraph(triplets: Iterable[SampleTriplet]) -> Any:
    """Return the triplets as a ``py2neo.Subgraph``: entities as nodes, VISUAL and TEXTUAL relationships between them.

    Their properties are those of ``network``, and the ``id`` that the graph of the workspace has for an entity. Raises
    ResourceError where py2neo is not installed.
    """
    require_extra("py2neo")
    import py2neo

    nodes: dict[str, Any] = {}
    relationships = []
    for place in triplets:
        for id_, entity in _ends(place):
            nodes.setdefault(id_, py2neo.Node("Entity", id=id_, sample=place.sample, **_node(entity)))
        subject, object_ = (nodes[id_] for id_, _ in _ends(place))
        relationships.append(py2neo.Relationship(subject, place.triplet.graph.upper(), object_, **_edge(place)))
    return py2neo.Subgraph(nodes.values(), relationships)


def _ends(place: SampleTriplet) -> list[tuple[str, Entity]]:
    """Return subject and object, each with the id that the graph of the workspace has for it."""
    return [(entity_id(place.sample, entity), entity) for entity in (place.triplet.subject, place.triplet.object)]


def _node(entity: Entity) -> Properties:
    return {"name": entity.label, "noun": entity.noun, "concept": entity.concept}


def _edge(place: SampleTriplet) -> Properties:
    names = ("relation", "graph", "source", "source_ref", "evidence")
    origin: Properties = {name: getattr(place.triplet, name) for name in names}
    return origin | {"key_path": place.key, "run": place.run, "hop": place.hop}


def _plain(properties: Properties) -> Properties:
    return {name: _text(value) if isinstance(value, str) else value for name, value in properties.items()}


def _text(text: str) -> str:
    return _NO_XML.sub(_UNKNOWN, text)
