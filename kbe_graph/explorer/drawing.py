"""Layout of a graph as a tree unfolded from its roots, so that each edge has its own place on the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.types import Question, Triplet

MOST = 120  # edges


class Edge(NamedTuple):
    """An edge between two nodes, the hop that added it, and the hops whose key path includes it."""

    source: str
    target: str
    label: str
    graph: str
    hop: int = 0
    key: tuple[int, ...] = ()


@dataclass(slots=True)
class Branch:
    """A node at one of its places, and the edge that leads to it, None for a root.

    The edges of a node are drawn at only one of its places, the others are copies. A ``backwards`` branch is at the
    source of its edge.
    """

    number: int
    label: str
    edge: Edge | None = None
    is_copy: bool = False
    backwards: bool = False
    branches: list["Branch"] = field(default_factory=list)

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


def triplets_by_hop(own: Iterable[Triplet], questions: Sequence[Question]) -> list[PlacedTriplet]:
    """Collect the distinct triplets of a sample and those added by its questions, key triplets first."""
    key: dict[str, list[int]] = {}
    first: dict[str, PlacedTriplet] = {triplet.id: PlacedTriplet(triplet, 0) for triplet in own}
    for question in questions:
        for triplet in question.key:
            key.setdefault(triplet.id, []).append(question.hop)
            first.setdefault(triplet.id, PlacedTriplet(triplet, question.hop))
    placed = [place._replace(key=tuple(sorted(set(key.get(id_, ()))))) for id_, place in first.items()]
    return sorted(placed, key=lambda place: (not place.key, place.hop, place.triplet.graph != "visual"))


def draw_triplets(placed: Sequence[PlacedTriplet]) -> Drawing:
    """Lay out the first triplets, up to the limit."""
    labels: dict[str, str] = {}
    edges = []
    for triplet, hop, key in placed[:MOST]:
        labels |= {end.key: end.label for end in (triplet.subject, triplet.object)}
        label = f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation
        edges.append(Edge(triplet.subject.key, triplet.object.key, label, triplet.graph, hop, key))
    return Drawing(_unfold(labels, edges), len(labels), len(edges), len(placed))


def _unfold(labels: Mapping[str, str], edges: Sequence[Edge]) -> list[Branch]:
    """Unfold each hop before the next, its key path first, so that the additions of later hops appear below."""
    numbers = {id_: number for number, id_ in enumerate(labels)}
    targets = {edge.target for edge in edges}
    places: dict[str, Branch] = {}
    roots: list[Branch] = []

    def is_against(edge: Edge) -> bool:
        return bool(edge.key) and edge.source not in places and edge.target in places

    def turn(edge: Edge) -> tuple[int, bool, bool, bool]:
        is_new = edge.source not in places and not is_against(edge)
        return edge.hop, is_new, not edge.key, is_new and edge.source in targets

    def root(id_: str) -> None:
        places[id_] = Branch(numbers[id_], labels[id_])
        roots.append(places[id_])

    undrawn = list(edges)
    while undrawn:
        edge = min(undrawn, key=turn)
        undrawn.remove(edge)
        start, end = (edge.target, edge.source) if is_against(edge) else edge[:2]
        if start not in places:
            root(start)
        branch = Branch(numbers[end], labels[end], edge, end in places, start == edge.target != edge.source)
        places[start].branches.append(branch)
        places.setdefault(end, branch)
    return roots
