"""A graph as the browser draws it: nodes and edges, no more than can be read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.types import Question, Triplet

MOST = 120  # edges


class Drawing(NamedTuple):
    """Nodes and edges as cytoscape.js takes them, and how many edges there are in all."""

    nodes: Sequence[Mapping[str, Any]]
    edges: Sequence[Mapping[str, Any]]
    total: int


class PlacedTriplet(NamedTuple):
    """A triplet with the hop that it came with, and the hops whose question's key it lies on."""

    triplet: Triplet
    hop: int
    key: tuple[int, ...] = ()


def triplets_by_hop(own: Iterable[Triplet], questions: Sequence[Question]) -> list[PlacedTriplet]:
    """Return the triplets of a sample, and those that the questions added, each once, those of a key first."""
    key: dict[str, list[int]] = {}
    first: dict[str, PlacedTriplet] = {triplet.id: PlacedTriplet(triplet, 0) for triplet in own}
    for question in questions:
        for triplet in question.key:
            key.setdefault(triplet.id, []).append(question.hop)
            first.setdefault(triplet.id, PlacedTriplet(triplet, question.hop))
    placed = [place._replace(key=tuple(sorted(set(key.get(id_, ()))))) for id_, place in first.items()]
    return sorted(placed, key=lambda place: (not place.key, place.hop))


def draw_triplets(placed: Sequence[PlacedTriplet]) -> Drawing:
    """Return the first triplets as a drawing."""
    shown = placed[:MOST]
    entities = {entity.key: entity for place in shown for entity in (place.triplet.subject, place.triplet.object)}
    nodes = [{"id": key, "label": entity.label} for key, entity in entities.items()]
    edges = [
        {
            "id": f"{place.triplet.id}|{place.triplet.graph}",
            "source": place.triplet.subject.key,
            "target": place.triplet.object.key,
            "label": _edge_label(place.triplet),
            "graph": place.triplet.graph,
            "hop": place.hop,
            "key": list(place.key),
        }
        for place in shown
    ]
    return Drawing(nodes, edges, len(placed))


def _edge_label(triplet: Triplet) -> str:
    return f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation


def draw_rows(rows: Iterable[Sequence[Any]]) -> Drawing:
    """Return the nodes and edges in the rows of a query: a path, or an edge that stands between its two nodes."""
    nodes: dict[str, Mapping[str, Any]] = {}
    edges: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        for cells in (row, *(cell for cell in row if isinstance(cell, list))):
            _take(cells, nodes, edges)
    shown = list(edges.values())[:MOST]
    ends = {end for edge in shown for end in (edge["source"], edge["target"])}
    alone = [id_ for id_ in nodes if id_ not in ends][: max(MOST - len(ends), 0)]
    return Drawing([nodes[id_] for id_ in nodes if id_ in {*ends, *alone}], shown, len(edges))


def _take(cells: Sequence[Any], nodes: dict[str, Mapping[str, Any]], edges: dict[str, Mapping[str, Any]]) -> None:
    for cell in filter(_is_node, cells):
        nodes.setdefault(_node_id(cell), {"id": _node_id(cell), "label": _label(cell)})
    for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
        if _is_node(before) and _is_edge(cell) and _is_node(after):
            source, target = _node_id(before), _node_id(after)
            id_ = f"{source} {cell['type']} {cell.get('id', '')} {target}"
            label = str(cell.get("relation") or cell["type"].lower())
            edges[id_] = {"id": id_, "source": source, "target": target, "label": label, **_kind(cell)}


def _is_node(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("labels"), list)


def _is_edge(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("type"), str)


def _node_id(cell: Mapping[str, Any]) -> str:
    return f"{_labels(cell)} {cell.get('id') or cell.get('name')}"


def _label(cell: Mapping[str, Any]) -> str:
    return str(cell.get("name") or cell.get("id") or _labels(cell))


def _labels(cell: Mapping[str, Any]) -> str:
    return ":".join(map(str, cell["labels"]))  # a map of a query may look like a node, whatever it holds


def _kind(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    graph = cell["type"].lower()
    return {"graph": graph if graph in {"visual", "textual"} else "other", "hop": 0, "key": [0] * (graph == "key")}
