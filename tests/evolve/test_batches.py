"""A run reads the samples a batch at a time, whatever it is asked for."""

from collections.abc import Iterator

import pytest

from kbe_graph.checks import FilterSettings
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.evolve.choice import Explorations
from kbe_graph.evolve.course import evolve
from kbe_graph.evolve.evolution import evolution_of
from kbe_graph.evolve.exploration import Exploration, Option
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import plan_run, sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.extract import read_annotations
from kbe_graph.extract.extraction import extract_samples
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.folder import create_folder
from kbe_graph.models import loop
from kbe_graph.store import Store, open_store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import IMAGE, Entity, Provenance, Question, Sample, Triplet
from kbe_graph.workspace.benchmarks import samples_of

BATCH = 4
SETTINGS = FilterSettings()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The demo, extracted and re-selected, for tests that only read it."""
    place, folder = demo_files(), create_folder(tmp_path_factory.mktemp("reselected"))
    with open_store(folder.hidden) as store:
        store.save_samples(read_benchmark(place.samples, benchmark="demo", split="demo").samples)
        annotations = read_annotations(scene_graphs=[place.scene_graphs])
        extract_samples(store, store.samples(), annotations, progress=lambda *_: None)
        plan = plan_run(RunOptions("r", hops=0), SETTINGS)
        loop.run(evolve(evolution_of(store, plan, packaged_knowledge({}))))
        assert len(store.samples(status="extracted")) > 5 * BATCH
        yield store


def test_drawn_samples_follow_from_the_seed(demo: Store) -> None:
    drawn, again, other = (sample_ids(demo, RunOptions("r", seed, sample=6)) for seed in (1, 1, 2))
    assert len(drawn) == 6
    assert drawn == again == sorted(drawn) != other
    extracted = samples_of(demo, None, number=6, seed=1)
    assert [sample.id for sample in extracted] == drawn


def test_explorations_come_back_from_their_file_as_they_were() -> None:
    key = (Triplet(IMAGE, "depicts", Entity("DOG", number=2, concept="wn30:02084071-n"), source="m", evidence="a dog"),)
    parent = Question("q", "s", "r", 0, "raw", "What is it?", "dog", key, provenance=Provenance("m", 1))
    fact = ProposedFact("wn30:02084071-n", "dog", "is fond of", "name:ball", "BALL", "m", aliases=("toy",), ok=True)
    question = Question("q1", "s", "r", 1, "explored", "What?", "BALL", (*key, fact.triplet(key[0].object)), parent="q")
    sample = Sample("s", "b", "v", "What is it?", "dog")
    exploration = Exploration(
        sample, parent, (CandidateRow("is fond of", "BALL", fact.object_id, "dropped"),), (Option(question, 0, 2),)
    )
    with Explorations() as explorations:
        explorations.add([exploration])
        assert repr([[exploration]]) == repr(list(explorations.batches()))
