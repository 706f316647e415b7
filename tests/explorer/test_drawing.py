"""A graph as a page draws it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from drawn_graphs import dense, drawn
from specimens import family

from kbe_graph.explorer.drawing import DEEPEST, Branch, Drawing, PlacedTriplet, draw_triplets, triplets_by_hop
from kbe_graph.types import IMAGE, Entity, Triplet


def _branches(branches: Sequence[Branch], start: str = "", depth: int = 0) -> Iterator[tuple[str, Branch, int]]:
    """Give each branch with the label of the node that it begins at, and its depth."""
    for branch in branches:
        if branch.edge:
            yield start, branch, depth
        yield from _branches(branch.branches, branch.nodes[0].label, depth + 1)


def _drawn_edges(drawing: Drawing) -> list[tuple[str, str, str]]:
    """Return the edges that a reader sees: source, label, target."""
    return sorted(
        (node.label, branch.edge.label, start) if branch.backwards else (start, branch.edge.label, node.label)
        for start, branch, _ in _branches(drawing.roots)
        if branch.edge
        for node in branch.nodes
    )


def _placed(*edges: tuple[str, str], hop: int = 0, key: tuple[int, ...] = ()) -> list[PlacedTriplet]:
    return [PlacedTriplet(Triplet(Entity(one), "leads to", Entity(other)), hop, key) for one, other in edges]


def test_an_edge_says_that_its_fact_is_unsourced() -> None:
    question = family().question
    seen, fact = question.key
    unsourced = replace(question, key=(seen, replace(fact, source="unsourced")))
    drawing = draw_triplets(triplets_by_hop((), [unsourced]))
    assert [label for _, label, _ in _drawn_edges(drawing)] == ["taxonomic family (unsourced)", "depicts"]


@pytest.mark.parametrize("number", range(8))
def test_each_edge_is_drawn_once_from_its_source_to_its_target(number: int) -> None:
    graph = drawn(number, entities=12, edges=40)[1]
    drawing = draw_triplets(triplets_by_hop(graph.visual, []))
    expected = [(each.subject.label, each.relation, each.object.label) for each in graph.visual]
    assert _drawn_edges(drawing) == sorted(expected)


def test_each_node_has_one_place_and_is_a_copy_elsewhere() -> None:
    drawing = draw_triplets(triplets_by_hop(dense()[1].visual, []))
    shown = [*drawing.roots, *(branch for _, branch, _ in _branches(drawing.roots))]
    places = [node.label for branch in shown for node in branch.nodes if not node.is_copy]
    assert len(places) == len(set(places)) == drawing.nodes


def test_what_a_later_hop_adds_moves_nothing() -> None:
    own = _placed(("IMAGE", "A"), ("A", "B"), ("C", "B"))
    before = [branch for _, branch, _ in _branches(draw_triplets(own).roots)]
    later = draw_triplets([*_placed(("IMAGE", "C"), ("C", "D"), hop=1, key=(1,)), *own])
    assert [label for label, _, _ in _branches(later.roots)] == ["IMAGE", "A", "IMAGE", "C", "C"]
    assert [len(branch.nodes) for _, branch, _ in _branches(later.roots) if not branch.hop] == [
        len(branch.nodes) for branch in before
    ]


def test_a_key_is_followed_against_an_edge() -> None:
    placed = _placed(("IMAGE", "ROME"), ("ITALY", "ROME"), key=(0,))
    (root,) = draw_triplets(placed).roots
    assert [(start, branch.backwards) for start, branch, _ in _branches([root])] == [("IMAGE", False), ("ROME", True)]


def test_what_lies_too_deep_for_a_phone_goes_on_from_a_root_of_its_own() -> None:
    chain = [Entity(f"THING {place}") for place in range(30)]
    triplets = [Triplet(one, "above", other) for one, other in zip([IMAGE, *chain], chain, strict=False)]
    drawing = draw_triplets([PlacedTriplet(triplet, 0) for triplet in triplets])
    assert max(depth for _, _, depth in _branches(drawing.roots)) <= DEEPEST + 1
    assert len(_drawn_edges(drawing)) == 30
    assert len(drawing.roots) > 1
