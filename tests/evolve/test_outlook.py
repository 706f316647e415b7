"""How far a candidate leads on, by the packaged facts and the checks of a run."""

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


def test_a_candidate_leads_on_as_far_as_facts_and_their_checks_let_it():
    checks = build_checks(pack())
    assert hops_onward(checks, pack(), candidate("capital"), 9) == 2  # Rome, Tiber, Tyrrhenian Sea
    assert hops_onward(checks, pack(), candidate("capital"), 1) == 1
    assert hops_onward(checks, pack(), candidate("continent"), 9) == 0  # what is told of it has many answers
