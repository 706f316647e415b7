"""Visual and textual graphs, on every engine."""

from dataclasses import replace

import pytest
from specimens import (
    COLOUR,
    COLOURED,
    DEPICTS,
    EXTRACTION,
    SAMPLE,
    colour_graph,
    dump,
    family,
    giraffe_graph,
    load,
    raw,
)

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.edges import ENTITY, graph_row
from kbe_graph.store.samples import GRAPHS
from kbe_graph.types import Drop, Extraction, Sample, SampleGraph

EDGE = ("position", "draw", "relation", "source", "source_ref", "evidence")


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


def test_a_graph_is_written_with_all_that_its_row_says(store: Store) -> None:
    load(store)
    graph = giraffe_graph()
    row = graph_row(SAMPLE.id, graph.visual, graph.textual)
    ids = [id_ for id_, *_ in row["entities"]]
    nodes = {node["properties"].get("id"): node["properties"] for node in store.connection.read("all_nodes")}
    entities = [
        {"id": id_, "sample": SAMPLE.id, **dict(zip(ENTITY, values, strict=True))} for id_, *values in row["entities"]
    ]
    assert entities == [nodes[id_] for id_ in ids]
    kept = {(edge["type"], edge["properties"].get("id")): edge for edge in store.connection.read("all_edges")}
    for kind in ("visual", "textual"):
        for subject, thing, id_, *values in row[kind]:
            edge = kept[kind.upper(), id_]
            assert (edge["subject"], edge["object"]) == (ids[subject], ids[thing])
            own = {"id": id_, "sample": SAMPLE.id, "hop": 0, "run": "", "question": ""}
            assert edge["properties"] == own | dict(zip(EDGE, values, strict=True))
    assert (len(row["visual"]), len(row["textual"])) == (4, 1)


def test_extracting_twice_changes_nothing(store: Store) -> None:
    load(store)
    once = dump(store)
    load(store)
    assert once == dump(store)


def test_another_extraction_replaces_the_graph(store: Store) -> None:
    load(store)
    graph = SampleGraph(SAMPLE.id, (DEPICTS,), (), (DEPICTS,))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    found = store.graphs([SAMPLE.id, COLOUR.id])
    assert {SAMPLE.id: graph, COLOUR.id: colour_graph()} == found
    assert [row for row in dump(store) if "bird" in row.lower()] == []


def test_a_graph_that_a_run_rests_on_stays(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    once = dump(store)
    store.save_graphs([giraffe_graph()], [raw(SAMPLE, giraffe_graph())], {SAMPLE.id: EXTRACTION})
    assert once == dump(store)
    with pytest.raises(InputError, match=r"'first' rest on .*; forget the run, or"):
        store.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [])
    assert once == dump(store)


def test_a_drop_takes_the_graph_away(store: Store) -> None:
    load(store)
    store.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [])
    assert {COLOUR.id: colour_graph()} == store.graphs([SAMPLE.id, COLOUR.id])


def many(count: int) -> list[tuple[Sample, SampleGraph]]:
    """Return samples with the giraffe's graph."""
    samples = [replace(SAMPLE, id=f"okvqa/val/{number:04}") for number in range(count)]
    return [(sample, replace(giraffe_graph(), sample=sample.id)) for sample in samples]


def test_a_batch_that_fails_leaves_those_before_whole_and_those_after_out(store: Store) -> None:
    pairs = many(3 * GRAPHS)
    lost = GRAPHS + 7
    store.save_samples([sample for sample, _ in pairs[:lost] + pairs[lost + 1 :]])
    with pytest.raises(InputError, match=f"no sample '{pairs[lost][0].id}' in the graph"):
        store.save_graphs([graph for _, graph in pairs], [raw(*pair) for pair in pairs])
    assert store.sample_ids(status="extracted") == [sample.id for sample, _ in pairs[:GRAPHS]]
    assert len(store.graphs([sample.id for sample, _ in pairs])) == GRAPHS


def test_one_triplet_may_stand_in_both_graphs(store: Store) -> None:
    store.save_samples([SAMPLE])
    seen = replace(COLOURED, graph="visual")
    graph = SampleGraph(SAMPLE.id, (DEPICTS, seen), (COLOURED,), (DEPICTS, COLOURED))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    assert graph == store.graphs([SAMPLE.id])[SAMPLE.id]


def test_what_graphs_were_extracted_with_is_kept_with_them(store: Store) -> None:
    load(store)
    unknown = Extraction()
    assert {EXTRACTION: 1, unknown: 1} == dict(store.extractions())
    assert store.extractions([SAMPLE.id, "nobody"]) == [(EXTRACTION, 1)]
    store.save_graphs([giraffe_graph()], [raw(SAMPLE, giraffe_graph())], {SAMPLE.id: unknown})
    assert [(unknown, 2)] == store.extractions()
