"""The graphs of samples for other tools: GraphML, RDF and py2neo, each read back by a program of its own."""

from pathlib import Path

import networkx as nx
import pyoxigraph
import pytest

import kbe_graph as kbe
from kbe_graph.types import IMAGE, Entity, Triplet
from kbe_graph.workspace.graph_formats import subgraph, write_graphml, write_turtle
from kbe_graph.workspace.values import SampleTriplet

ODD = Entity('A "name" \\ with\na line, <tags> and \x00 no XML', concept="wn30:1-n")
DOG, SECOND_DOG = Entity("DOG"), Entity("DOG", 2)
PLACES = (
    SampleTriplet("b/x/1", Triplet(IMAGE, "depicts", ODD, source="caption", evidence="so it was said"), key=True),
    SampleTriplet("b/x/1", Triplet(DOG, "near", SECOND_DOG)),
    SampleTriplet("b/x/1", Triplet(DOG, "behind", SECOND_DOG)),
    SampleTriplet("b/x/1", Triplet(DOG, "family", Entity("CANIDAE"), "textual", "pack", "7"), True, "first", 1),
    SampleTriplet("b/x/2", Triplet(IMAGE, "depicts", DOG)),
)


def test_graphml_is_read_back_as_it_was(tmp_path: Path) -> None:
    write_graphml(tmp_path / "a.graphml", PLACES)
    graph = nx.read_graphml(tmp_path / "a.graphml", force_multigraph=True)
    assert nx.number_weakly_connected_components(graph) == 3  # IMAGE and ODD, the dogs; the other sample
    assert set(graph["b/x/1|dog"]) == {"b/x/1|dog#2", "b/x/1|canidae"}
    near, behind = graph["b/x/1|dog"]["b/x/1|dog#2"].values()
    assert {near["relation"], behind["relation"]} == {"near", "behind"}
    (explored,) = graph["b/x/1|dog"]["b/x/1|canidae"].values()
    told = {name: explored[name] for name in ("graph", "source", "source_ref", "key_path", "run", "hop")}
    expected = {"graph": "textual", "source": "pack", "source_ref": "7", "key_path": True, "run": "first", "hop": 1}
    assert expected == told
    names = {node["name"] for _, node in graph.nodes(data=True)}
    assert 'A "name" \\ with\na line, <tags> and \N{REPLACEMENT CHARACTER} no XML' in names


def test_turtle_holds_each_triplet_and_what_is_said_of_it(tmp_path: Path) -> None:
    write_turtle(tmp_path / "a.ttl", PLACES)
    store = pyoxigraph.Store()
    store.load(path=str(tmp_path / "a.ttl"), format=pyoxigraph.RdfFormat.TURTLE)
    prefixes = "PREFIX kbe: <urn:kbe:> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
    prefixes += "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
    direct = store.query(prefixes + "SELECT ?to WHERE { <urn:kbe:entity:b/x/1%7Cdog> <urn:kbe:relation:near> ?to }")
    assert [row["to"].value for row in direct] == ["urn:kbe:entity:b/x/1%7Cdog%232"]
    sourced = store.query(
        prefixes + "SELECT ?name ?source ?evidence ?concept WHERE { ?t rdf:object ?o ; kbe:source ?source ; "
        "kbe:evidence ?evidence . ?o rdfs:label ?name ; kbe:concept ?concept }"
    )
    rows = [tuple(row[name].value for name in ("name", "source", "evidence", "concept")) for row in sourced]
    assert rows == [(ODD.name, "caption", "so it was said", "wn30:1-n")]
    (count,) = store.query(prefixes + "SELECT (count(*) AS ?n) WHERE { ?t a rdf:Statement ; kbe:key_path ?key }")
    assert int(count["n"].value) == len(PLACES)


def test_py2neo_gets_nodes_and_relationships() -> None:
    pytest.importorskip("py2neo", reason="py2neo is not installed (kbe-graph[py2neo])")
    graph = subgraph(PLACES)
    assert len(graph.nodes) == 7
    assert sorted(each["relation"] for each in graph.relationships) == [
        "behind",
        "depicts",
        "depicts",
        "family",
        "near",
    ]
    assert graph.types() == {"VISUAL", "TEXTUAL"}


@pytest.mark.xdist_group("examples")  # these look at the same workspace
def test_a_workspace_writes_a_sample_or_all_of_them(work: kbe.Workspace, tmp_path: Path) -> None:
    sample = work.questions(run="demo", hop=1)[0].sample
    own, explored = (work.graph.export(tmp_path / "a.graphml", sample=sample, run=run) for run in (None, "demo"))
    assert 0 < own.edges < explored.edges < work.graph.export(tmp_path / "all.ttl", run="demo").edges
    with pytest.raises(kbe.InputError, match="no sample 'demo/demo/0'; "):
        work.graph.export(tmp_path / "none.graphml", sample="demo/demo/0")
    assert not (tmp_path / "none.graphml").exists()
