"""The graph of a sample as networkx has it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kbe_graph.types import Entity
from kbe_graph.workspace.values import SampleTriplet

if TYPE_CHECKING:
    import networkx as nx


def network(triplets: Iterable[SampleTriplet]) -> "nx.MultiDiGraph":
    """Return the triplets as a graph.

    A node is an entity's key, with ``name``, ``noun`` and ``concept``; an edge a triplet, with ``relation``, ``graph``,
    ``source``, ``source_ref``, ``evidence``, ``key``, ``run`` and ``hop``.
    """
    import networkx as nx

    graph = nx.MultiDiGraph()
    for place in triplets:
        triplet = place.triplet
        for entity in (triplet.subject, triplet.object):
            graph.add_node(entity.key, **_node(entity))
        origin = {name: getattr(triplet, name) for name in ("relation", "graph", "source", "source_ref", "evidence")}
        graph.add_edge(
            triplet.subject.key, triplet.object.key, **origin, key_path=place.key, run=place.run, hop=place.hop
        )
    return graph


def _node(entity: Entity) -> dict[str, object]:
    return {"name": entity.label, "noun": entity.noun, "concept": entity.concept}
