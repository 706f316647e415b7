"""Layout of a graph as a tree unfolded from its roots, so that each edge has its own place on the page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.types import Question, Triplet

MOST = 120  # edges


class PlacedTriplet(NamedTuple):
    """A triplet, the hop that added it, and the hops whose key path includes it."""

    triplet: Triplet
    hop: int
    key: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The relation, and its source if nobody checked one."""
        triplet = self.triplet
        return f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation


@dataclass(slots=True)
class Branch:
    """A node at one of its places, and the edge that leads to it, None for a root.

    The edges of a node are drawn at only one of its places, the others are copies. A ``backwards`` branch is at the
    source of its edge.
    """

    number: int
    label: str
    edge: PlacedTriplet | None = None
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
    """Lay out the first triplets, up to the limit: each hop before the next, its key path first.

    So the additions of later hops appear below.
    """
    undrawn = list(placed[:MOST])
    ends = [end for edge in undrawn for end in (edge.triplet.subject, edge.triplet.object)]
    labels = {end.key: end.label for end in ends}
    numbers = {key: number for number, key in enumerate(labels)}
    targets = {edge.triplet.object.key for edge in undrawn}
    places: dict[str, Branch] = {}
    roots: list[Branch] = []

    def is_against(edge: PlacedTriplet) -> bool:
        subject, thing = edge.triplet.subject.key, edge.triplet.object.key
        return bool(edge.key) and subject not in places and thing in places

    def turn(edge: PlacedTriplet) -> tuple[int, bool, bool, bool]:
        subject = edge.triplet.subject.key
        is_new = subject not in places and not is_against(edge)
        return edge.hop, is_new, not edge.key, is_new and subject in targets

    while undrawn:
        edge = min(undrawn, key=turn)
        undrawn.remove(edge)
        start, end = edge.triplet.subject.key, edge.triplet.object.key
        backwards = is_against(edge)
        if backwards:
            start, end = end, start
        if start not in places:
            places[start] = Branch(numbers[start], labels[start])
            roots.append(places[start])
        branch = Branch(numbers[end], labels[end], edge, end in places, backwards)
        places[start].branches.append(branch)
        places.setdefault(end, branch)
    return Drawing(roots, len(labels), min(len(placed), MOST), len(placed))
