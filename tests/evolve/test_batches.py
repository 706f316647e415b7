"""The samples that a run draws, and the explorations that it keeps in a file."""

from kbe_graph.evolve.choice import Exploration, Explorations, Option
from kbe_graph.evolve.plan import sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.store import Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import IMAGE, Entity, Provenance, Question, Sample, Triplet
from kbe_graph.workspace.benchmarks import samples_of


def test_drawn_samples_follow_from_the_seed(embedded_store: Store) -> None:
    embedded_store.save_samples([Sample(f"b/s/{number}", "b", "s", "What?", "dog") for number in range(40)])
    drawn, again, other = (
        sample_ids(embedded_store, RunOptions("r", seed, sample=6), status="loaded") for seed in (1, 1, 2)
    )
    assert len(drawn) == 6
    assert drawn == again == sorted(drawn) != other
    assert [sample.id for sample in samples_of(embedded_store, None, number=6, seed=1)] == drawn


def test_explorations_come_back_from_their_file_as_they_were() -> None:
    key = (Triplet(IMAGE, "depicts", Entity("DOG", number=2, concept="wn30:02084071-n"), source="m", evidence="a dog"),)
    parent = Question("q", "s", "r", 0, "raw", "What is it?", "dog", key, provenance=Provenance("m", 1))
    fact = ProposedFact("wn30:02084071-n", "dog", "is fond of", "name:ball", "BALL", "m", aliases=("toy",), type="toy")
    question = Question("q1", "s", "r", 1, "explored", "What?", "BALL", (*key, fact.triplet(key[0].object)), parent="q")
    sample = Sample("s", "b", "v", "What is it?", "dog")
    exploration = Exploration(
        sample, parent, (CandidateRow("is fond of", "BALL", fact.object_id, "dropped"),), (Option(question, 0, 2),)
    )
    with Explorations() as explorations:
        explorations.add([exploration])
        assert repr([[exploration]]) == repr(list(explorations.batches()))
