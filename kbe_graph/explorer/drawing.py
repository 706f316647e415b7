"""Layout of a graph as a tree unfolded from its roots, so that each edge has its own place on the page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.types import Question, Triplet

MOST = 120  # edges
DEEPEST = 8  # edges from a root; deeper parts get their own root, to fit on a phone


class Edge(NamedTuple):
    """An edge between two nodes, the hop that added it, and the hops whose key path includes it."""

    source: str
    target: str
    label: str
    graph: str
    hop: int = 0
    key: tuple[int, ...] = ()


class DrawnNode(NamedTuple):
    """A node at one of its places; its edges are drawn at only one of them, the others are copies."""

    number: int
    label: str
    is_copy: bool = False


class Branch(NamedTuple):
    """An edge from a node, and what is drawn at its end; similar edges without continuation share a branch.

    A ``backwards`` branch starts at the target of its edge. The branch of a root has no edge.
    """

    edge: Edge | None
    nodes: tuple[DrawnNode, ...]
    branches: tuple["Branch", ...] = ()
    backwards: bool = False

    @property
    def hop(self) -> int:
        """The hop from which the branch is shown."""
        return self.edge.hop if self.edge else min((branch.hop for branch in self.branches), default=0)


class Drawing(NamedTuple):
    """The drawn roots, and the number of nodes, of drawn edges, and of edges in total."""

    roots: Sequence[Branch]
    nodes: int
    edges: int
    total: int


class PlacedTriplet(NamedTuple):
    """A triplet, the hop that added it, and the hops whose key path includes it."""

    triplet: Triplet
    hop: int
    key: tuple[int, ...] = ()


class _Step(NamedTuple):
    edge: Edge
    end: str
    is_place: bool  # whether the edges of the end are drawn here

    @property
    def alike(self) -> tuple[Any, ...]:
        return (*self.edge[2:], self.is_backwards)

    @property
    def is_backwards(self) -> bool:
        return self.end != self.edge.target


def triplets_by_hop(own: Iterable[Triplet], questions: Sequence[Question]) -> list[PlacedTriplet]:
    """Collect the distinct triplets of a sample and those added by its questions, key triplets first."""
    key: dict[str, list[int]] = {}
    first: dict[str, PlacedTriplet] = {triplet.id: PlacedTriplet(triplet, 0) for triplet in own}
    for question in questions:
        for triplet in question.key:
            key.setdefault(triplet.id, []).append(question.hop)
            first.setdefault(triplet.id, PlacedTriplet(triplet, question.hop))
    placed = [place._replace(key=tuple(sorted(set(key.get(id_, ()))))) for id_, place in first.items()]
    return sorted(placed, key=lambda place: (not place.key, place.hop))


def draw_triplets(placed: Sequence[PlacedTriplet]) -> Drawing:
    """Lay out the first triplets, up to the limit."""
    shown = placed[:MOST]
    entities = {entity.key: entity for place in shown for entity in (place.triplet.subject, place.triplet.object)}
    edges = [
        Edge(
            place.triplet.subject.key,
            place.triplet.object.key,
            _edge_label(place.triplet),
            place.triplet.graph,
            place.hop,
            place.key,
        )
        for place in shown
    ]
    return _draw({key: entity.label for key, entity in entities.items()}, edges, len(placed))


def _edge_label(triplet: Triplet) -> str:
    return f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation


def draw_rows(rows: Iterable[Sequence[Any]]) -> Drawing:
    """Lay out the nodes and edges in the rows of a query: paths, and edges between two nodes of a row."""
    nodes: dict[str, str] = {}
    edges: dict[str, Edge] = {}
    for row in rows:
        for cells in (row, *(cell for cell in row if isinstance(cell, list))):
            _take(cells, nodes, edges)
    shown = list(edges.values())[:MOST]
    ends = {end for edge in shown for end in (edge.source, edge.target)}
    alone = [id_ for id_ in nodes if id_ not in ends][: max(MOST - len(ends), 0)]
    return _draw({id_: nodes[id_] for id_ in nodes if id_ in {*ends, *alone}}, shown, len(edges))


def _take(cells: Sequence[Any], nodes: dict[str, str], edges: dict[str, Edge]) -> None:
    for cell in filter(_is_node, cells):
        nodes.setdefault(_node_id(cell), _label(cell))
    for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
        if _is_node(before) and _is_edge(cell) and _is_node(after):
            source, target = _node_id(before), _node_id(after)
            label = str(cell.get("relation") or cell["type"].lower())
            id_ = f"{source} {cell['type']} {cell.get('id', '')} {target}"
            edges[id_] = Edge(source, target, label, *_kind(cell))


def _is_node(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("labels"), list)


def _is_edge(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("type"), str)


def _node_id(cell: Mapping[str, Any]) -> str:
    return f"{_labels(cell)} {cell.get('id') or cell.get('name')}"


def _label(cell: Mapping[str, Any]) -> str:
    return str(cell.get("name") or cell.get("id") or _labels(cell))


def _labels(cell: Mapping[str, Any]) -> str:
    return ":".join(map(str, cell["labels"]))  # a map returned by a query may look like a node, with any values


def _kind(cell: Mapping[str, Any]) -> tuple[str, int, tuple[int, ...]]:
    graph = cell["type"].lower()
    return graph if graph in {"visual", "textual"} else "other", 0, (0,) * (graph == "key")


def _draw(nodes: Mapping[str, str], edges: Sequence[Edge], total: int) -> Drawing:
    steps, depths = _unfold(edges)
    numbers = {id_: number for number, id_ in enumerate(nodes)}

    def node(id_: str, *, is_copy: bool = False) -> DrawnNode:
        return DrawnNode(numbers[id_], nodes[id_], is_copy)

    def branches(id_: str) -> tuple[Branch, ...]:
        drawn: dict[Any, Branch] = {}
        for step in steps.get(id_, ()):
            more = branches(step.end) if step.is_place else ()
            alike = (step.alike, step.end if more else None)
            before = drawn[alike].nodes if alike in drawn else ()
            end = node(step.end, is_copy=not step.is_place and step.end in depths)
            drawn[alike] = Branch(step.edge, (*before, end), more, step.is_backwards)
        return tuple(drawn.values())

    starts = [id_ for id_ in nodes if not depths.get(id_, 0)]
    return Drawing([Branch(None, (node(id_),), branches(id_)) for id_ in starts], len(nodes), len(edges), total)


def _unfold(edges: Sequence[Edge]) -> tuple[Mapping[str, Sequence[_Step]], Mapping[str, int]]:
    """Return the steps out of each node, and the depth of each node drawn with its edges.

    Each hop is unfolded before the next, its key path first, so that the additions of later hops appear below.
    """
    depths: dict[str, int] = {}
    steps: dict[str, list[_Step]] = {}
    undrawn, targets = list(edges), {edge.target for edge in edges}
    while undrawn:
        edge = min(undrawn, key=lambda edge: _turn(edge, depths, targets))
        undrawn.remove(edge)
        start = _start(edge, depths)
        depths.setdefault(start, 0)
        end = edge.source if start != edge.source else edge.target
        is_place = end not in depths and depths[start] < DEEPEST
        steps.setdefault(start, []).append(_Step(edge, end, is_place))
        if is_place:
            depths[end] = depths[start] + 1
    return steps, depths


def _start(edge: Edge, depths: Mapping[str, int]) -> str:
    is_against = edge.key and edge.source not in depths and edge.target in depths
    return edge.target if is_against else edge.source


def _turn(edge: Edge, depths: Mapping[str, int], targets: set[str]) -> tuple[int, bool, bool, bool, int]:
    start = _start(edge, depths)
    is_new = start not in depths
    return edge.hop, is_new, not edge.key, is_new and start in targets, depths.get(start, 0)
