"""Visual and textual graphs, on every engine."""

import pytest
from specimens import (
    COLOUR,
    DEPICTS,
    EXTRACTION,
    SAMPLE,
    colour_graph,
    dump,
    giraffe_graph,
    load,
    raw,
)

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.types import Drop, SampleGraph


def told(graph: SampleGraph) -> list[object]:
    """What comparing graphs leaves out: sources, and what is said of entities."""
    triplets = (*graph.visual, *graph.textual, *graph.key)
    sources = [(one.source, one.source_ref, one.evidence) for one in triplets]
    return [sources, [(end.noun, end.concept) for one in triplets for end in (one.subject, one.object)]]


def test_graphs_come_back_exactly(store: Store) -> None:
    load(store)
    found = store.graphs([COLOUR.id, SAMPLE.id, "nobody"])
    assert {SAMPLE.id: giraffe_graph(), COLOUR.id: colour_graph()} == found
    assert told(giraffe_graph()) == told(found[SAMPLE.id])


def test_another_extraction_replaces_the_graph(store: Store) -> None:
    load(store)
    graph = SampleGraph(SAMPLE.id, (DEPICTS,), (), (DEPICTS,))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    found = store.graphs([SAMPLE.id, COLOUR.id])
    assert {SAMPLE.id: graph, COLOUR.id: colour_graph()} == found
    assert [row for row in dump(store) if "bird" in row.lower()] == []


def test_a_graph_that_a_run_rests_on_stays(full: Store) -> None:
    once = dump(full)
    full.save_graphs([giraffe_graph()], [raw(SAMPLE, giraffe_graph())], {SAMPLE.id: EXTRACTION})
    assert once == dump(full)
    with pytest.raises(InputError, match=r"'first' rest on .*; forget the run, or"):
        full.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [])
    assert once == dump(full)
