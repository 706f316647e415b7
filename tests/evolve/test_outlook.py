"""How far a candidate leads on, by the packaged facts and the checks of a run."""

import pytest

from kbe_graph.checks import build_checks
from kbe_graph.evolve.evolution import hops_onward
from kbe_graph.facts.pack import pack
from kbe_graph.types import IMAGE, Candidate, Entity, Question, Sample, SampleGraph, Triplet

ITALY = "wn30:08801678-n"


def candidate(relation: str) -> Candidate:
    seen = Triplet(IMAGE, "depicts", Entity("STREET"), graph="visual")
    key = (seen, Triplet(Entity("STREET"), "in country", Entity("ITALY", concept=ITALY)))
    sample = Sample("s/1", "s", "", "In which country is this street?", "Italy", ("Italy",))
    question = Question("s/1@raw/0", "s/1", "raw", 0, "raw", sample.question, "Italy", key, concept=ITALY)
    (fact,) = pack().ask(ITALY, relation)
    return Candidate(sample, SampleGraph(sample.id, key, (), key), question, fact)


@pytest.mark.parametrize(
    ("relation", "hops"),
    [
        pytest.param("capital", 2, id="Rome, Tiber, Tyrrhenian Sea"),
        pytest.param("continent", 0, id="whatever is told of Europe would be told of most countries"),
        pytest.param("currency", 0, id="what is told of the euro has many answers"),
    ],
)
def test_a_candidate_leads_on_as_far_as_facts_and_their_checks_let_it(relation: str, hops: int):
    assert hops_onward(build_checks(pack()), pack(), candidate(relation), 9) == hops


def test_no_more_hops_are_looked_ahead_than_asked_for():
    assert hops_onward(build_checks(pack()), pack(), candidate("capital"), 1) == 1
