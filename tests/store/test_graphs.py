"""Visual and textual graphs, on every engine."""

from dataclasses import replace

import pytest
from specimens import (
    BROWN,
    COLOUR,
    COLOURED,
    DEPICTS,
    EXTRACTION,
    GIRAFFE,
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
from kbe_graph.store.triplet_rows import edge_rows, entity_rows
from kbe_graph.types import Drop, Extraction, SampleGraph, Triplet


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


def test_a_graph_is_written_with_all_that_its_rows_say(store: Store) -> None:
    load(store)
    graph = giraffe_graph()
    entities = entity_rows(SAMPLE.id, (*graph.visual, *graph.textual))
    nodes = {row["properties"].get("id"): row["properties"] for row in store.connection.read("all_nodes")}
    assert [row["properties"] | {"id": row["id"]} for row in entities] == [nodes[row["id"]] for row in entities]
    edges = [row for part in (graph.visual, graph.textual) for row in edge_rows(SAMPLE.id, part)]
    kept = {(row["type"], row["properties"].get("id")): row for row in store.connection.read("all_edges")}
    stored = [kept[kind, row["id"]] for kind, row in zip(["VISUAL"] * 4 + ["TEXTUAL"], edges, strict=True)]
    assert [row["properties"] | {"id": row["id"]} for row in edges] == [row["properties"] for row in stored]
    assert [(row["subject"], row["object"]) for row in edges] == [(row["subject"], row["object"]) for row in stored]


def test_extracting_twice_changes_nothing(store: Store) -> None:
    load(store)
    once = dump(store)
    load(store)
    assert once == dump(store)


def test_every_sample_has_an_image_of_its_own(store: Store) -> None:
    load(store)
    table = store.query_text(
        "MATCH (s:Sample)-[:ROOT]->(e:Entity {name: 'IMAGE'}) RETURN s.id AS s, e.id AS e ORDER BY s"
    )
    assert ((SAMPLE.id, f"{SAMPLE.id}|image"), (COLOUR.id, f"{COLOUR.id}|image")) == table.rows


def test_samples_share_the_term_of_an_entity(store: Store) -> None:
    load(store)
    table = store.query_text("MATCH (t:Term {name: 'tree'})<-[:IS]-(e:Entity) RETURN count(e) AS entities")
    assert table.rows == ((4,),)


def test_another_extraction_replaces_the_graph(store: Store) -> None:
    load(store)
    graph = SampleGraph(SAMPLE.id, (DEPICTS,), (), (DEPICTS,))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    found = store.graphs([SAMPLE.id, COLOUR.id])
    assert {SAMPLE.id: graph, COLOUR.id: colour_graph()} == found
    assert [row for row in dump(store) if "bird" in row.lower()] == []


def test_a_new_source_counts_as_another_graph(store: Store) -> None:
    load(store)
    graph = giraffe_graph()
    visual = (replace(DEPICTS, source="scene graph"), *graph.visual[1:])
    graph = SampleGraph(SAMPLE.id, visual, graph.textual, visual[:1])
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    assert store.graphs([SAMPLE.id])[SAMPLE.id].key[0].source == "scene graph"


def test_a_graph_that_a_run_rests_on_stays(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    once = dump(store)
    store.save_graphs([giraffe_graph()], [raw(SAMPLE, giraffe_graph())], {SAMPLE.id: EXTRACTION})
    assert once == dump(store)
    with pytest.raises(InputError, match="'first' rest on what it was; forget the run with 'kbe forget run'"):
        store.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [])
    assert once == dump(store)


def test_a_drop_takes_the_graph_away(store: Store) -> None:
    load(store)
    store.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [])
    assert {COLOUR.id: colour_graph()} == store.graphs([SAMPLE.id, COLOUR.id])


def test_a_graph_needs_its_sample(store: Store) -> None:
    with pytest.raises(InputError, match="no sample 'okvqa/val/1' in the graph; load its benchmark first"):
        store.save_graphs([giraffe_graph()], [])


def test_one_triplet_may_stand_in_both_graphs(store: Store) -> None:
    store.save_samples([SAMPLE])
    seen = replace(COLOURED, graph="visual")
    graph = SampleGraph(SAMPLE.id, (DEPICTS, seen), (COLOURED,), (DEPICTS, COLOURED))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    assert graph == store.graphs([SAMPLE.id])[SAMPLE.id]


def test_two_relations_between_the_same_entities_stay_apart(store: Store) -> None:
    store.save_samples([SAMPLE])
    graph = SampleGraph(SAMPLE.id, (DEPICTS, Triplet(GIRAFFE, "was", BROWN)), (COLOURED,), (DEPICTS,))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    assert graph == store.graphs([SAMPLE.id])[SAMPLE.id]


def test_what_graphs_were_extracted_with_is_kept_with_them(store: Store) -> None:
    load(store)
    unknown = Extraction()
    assert {EXTRACTION: 1, unknown: 1} == dict(store.extractions())
    assert store.extractions([SAMPLE.id, "nobody"]) == [(EXTRACTION, 1)]
    store.save_graphs([giraffe_graph()], [raw(SAMPLE, giraffe_graph())], {SAMPLE.id: unknown})
    assert [(unknown, 2)] == store.extractions()


def test_a_sample_without_a_graph_tells_of_no_extraction(store: Store) -> None:
    load(store)
    store.save_graphs([Drop(SAMPLE.id, "no visual triplet")], [], {SAMPLE.id: EXTRACTION})
    store.save_samples([replace(COLOUR, question="What colour has it?")])
    assert store.extractions() == []
