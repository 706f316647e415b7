"""A graph as a page draws it."""

from collections.abc import Iterator, Sequence

from drawn_graphs import drawn

from kbe_graph.explorer.explorer import Branch, Drawing, draw_triplets, triplets_by_hop


def _branches(branches: Sequence[Branch], start: str = "") -> Iterator[tuple[str, Branch]]:
    """Give each branch with the label of the node that it begins at."""
    for branch in branches:
        if branch.edge:
            yield start, branch
        yield from _branches(branch.branches, branch.label)


def _drawn_edges(drawing: Drawing) -> list[tuple[str, str, str]]:
    """Return the edges that a reader sees: source, label, target."""
    return sorted(
        (branch.label, branch.edge.label, start) if branch.backwards else (start, branch.edge.label, branch.label)
        for start, branch in _branches(drawing.roots)
        if branch.edge
    )


def test_each_edge_is_drawn_once_from_its_source_to_its_target() -> None:
    for number in range(8):
        graph = drawn(number, entities=12, edges=40)[1]
        drawing = draw_triplets(triplets_by_hop(graph.visual, []))
        expected = [(each.subject.label, each.relation, each.object.label) for each in graph.visual]
        assert _drawn_edges(drawing) == sorted(expected), number


def test_each_node_has_one_place_and_is_a_copy_elsewhere() -> None:
    drawing = draw_triplets(triplets_by_hop(drawn(0, entities=12, edges=40)[1].visual, []))
    shown = [*drawing.roots, *(branch for _, branch in _branches(drawing.roots))]
    places = [branch.label for branch in shown if not branch.is_copy]
    assert len(places) == len(set(places)) == drawing.nodes
