import json
from pathlib import Path

import pytest
from sparql_server import Fault, serving

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo
from kbe_graph.errors import ConfigError, SourceError
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import run_by_rules
from kbe_graph.extract import read_annotations
from kbe_graph.extract.extraction import extract_samples
from kbe_graph.folder import Folder, create_folder
from kbe_graph.store import Store

FILE = Path(__file__).parents[1] / "data" / "wikidata.ttl"
KEPT = ("dog", "Germany", "Italy", "copper", "horse")


@pytest.fixture
def loaded(embedded_store: Store) -> Store:
    """The samples of the demo whose answers the endpoint knows, and one that is re-selected, extracted."""
    place = demo()
    benchmark = read_benchmark(place.samples, benchmark="demo", split="demo")
    embedded_store.save_samples(
        [sample for sample in benchmark.samples if sample.answer in KEPT or sample.answer == "2"]
    )
    samples = embedded_store.samples()
    annotations = read_annotations(scene_graphs=[place.scene_graphs])
    extract_samples(embedded_store, samples, annotations, progress=lambda *_: None)
    return embedded_store


@pytest.fixture
def workspace(tmp_path: Path) -> Folder:
    return create_folder(tmp_path / "workspace")


def wikidata(run: str, endpoint: str, **options) -> RunOptions:
    return RunOptions(run, 1, knowledge="wikidata", endpoint=endpoint, **options)


def evolved(store: Store, run: str):
    return [
        (one.sample, one.hop, one.text, one.answer, one.aliases, one.reason, one.key)
        for one in store.questions(run=run, status=None)
    ]


def test_a_run_that_broke_off_goes_on_and_a_second_one_needs_no_endpoint(loaded, workspace):
    with serving(FILE) as server:
        server.faults = [Fault(400)]
        with pytest.raises(SourceError):
            run_by_rules(workspace, loaded, wikidata("first", server.url, hops=2))
        run_by_rules(workspace, loaded, wikidata("first", server.url, hops=2))
        asked = len(server.asked)
        run_by_rules(workspace, loaded, wikidata("first", server.url, hops=2))
        assert len(server.asked) == asked
    triplets = [one.key[-1] for one in loaded.questions(run="first", hop=1)]
    own = {triplet.source_ref for triplet in triplets if triplet.source == "Wikidata"}
    assert own
    assert own <= {"Q144$right", "Q183$capital", "Q183$euro", "Q753$density"}
    assert {triplet.source for triplet in triplets} > {"Wikidata"}  # the packaged facts are drawn from as well
    run_by_rules(workspace, loaded, wikidata("second", server.url, hops=2, offline=True))
    assert evolved(loaded, "second") == evolved(loaded, "first")
    manifest = json.loads((workspace.runs / "second" / "run.json").read_text())
    assert manifest["settings"]["knowledge"] == "wikidata"
    assert manifest["wikidata"]["facts"] > 0
    with pytest.raises(ConfigError, match=r"different settings .*knowledge"):
        run_by_rules(workspace, loaded, RunOptions("first", 1, 2))
