"""The graphs of samples for other tools are GraphML, read back by networkx."""

from pathlib import Path

import networkx as nx
import pytest

import kbe_graph as kbe
from kbe_graph.types import IMAGE, Entity, Triplet
from kbe_graph.workspace.graph import write_graphml
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


@pytest.mark.xdist_group("examples")  # these look at the same workspace
def test_a_workspace_writes_a_sample_or_all_of_them(work: kbe.Workspace, tmp_path: Path) -> None:
    sample = work.questions(run="demo", hop=1)[0].sample
    own, explored = (work.graph.export(tmp_path / "a.graphml", sample=sample, run=run) for run in (None, "demo"))
    assert 0 < own.edges < explored.edges < work.graph.export(tmp_path / "all.graphml", run="demo").edges
    with pytest.raises(kbe.InputError, match="no sample 'demo/demo/0'; "):
        work.graph.export(tmp_path / "none.graphml", sample="demo/demo/0")
    assert not (tmp_path / "none.graphml").exists()
