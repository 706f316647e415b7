"""The triplets of samples for other tools: a graph of networkx, and a file of GraphML."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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


class GraphExport(NamedTuple):
    """The size of an exported graph."""

    nodes: int
    edges: int


def network(triplets: Sequence[SampleTriplet]) -> "nx.MultiDiGraph":
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


def write_graphml(file: Path, triplets: Sequence[SampleTriplet]) -> GraphExport:
    """Write the triplets of any samples as GraphML, each sample a part of its own.

    Nodes and edges are those of ``network``, nodes with their ``sample`` too. A sign that XML cannot hold becomes the
    replacement character. Raises InputError.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for number, place in enumerate(triplets, 1):
        ends = [_text(entity_id(place.sample, each)) for each in (place.triplet.subject, place.triplet.object)]
        for id_, entity in zip(ends, (place.triplet.subject, place.triplet.object), strict=True):
            graph.add_node(id_, sample=_text(place.sample), **_plain(_node(entity)))
        graph.add_edge(*ends, key=str(number), **_plain(_edge(place)))
    with replacing(file) as stream:
        nx.write_graphml_xml(graph, stream.buffer)
    return GraphExport(graph.number_of_nodes(), graph.number_of_edges())


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
