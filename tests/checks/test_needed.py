from dataclasses import replace

from filter_cases import case

from kbe_graph.checks import build_checks
from kbe_graph.checks.chain import chain_with_fact
from kbe_graph.checks.check import Row
from kbe_graph.checks.needed import SeveralAnswers
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Fact

GULL = Row("What kind of birds are these?", "seagull", "seagull", "taxonomic family", "Laridae")
ISLES = Row(
    "What flag is that?",
    "United Kingdom",
    "United Kingdom",
    "capital",
    "London",
    path="Ireland > only neighbour > United Kingdom",
)
CHECKS = build_checks(pack())


def test_a_good_question_passes_all_checks() -> None:
    for row in [GULL, ISLES]:
        assert CHECKS.decide("question", case(row)).keep
        assert not CHECKS.is_faulty(case(row))


def test_a_second_fact_on_the_way_makes_several_answers():
    candidate = case(ISLES)
    start, isles = chain_with_fact(candidate).concepts[:2]
    facts = tuple(fact for fact in pack().facts if fact.subject_id in {start, isles})
    assert SeveralAnswers(Walk(Pack(facts, pack().relations))).decide(candidate).keep
    france = wordnet().lookup("France").synsets[0].id
    paris = wordnet().lookup("Paris").synsets[0].id
    tunnel = Fact(start, "Ireland", "only neighbour", france, "France", "made up")
    capital = Fact(france, "France", "capital", paris, "Paris", "made up")
    decision = SeveralAnswers(Walk(Pack((*facts, tunnel, capital), pack().relations))).decide(candidate)
    assert decision.reason == "several answers"
    assert decision.detail == "the facts lead to Paris"


def test_other_answers_that_the_benchmark_accepts_must_lead_to_the_same():
    candidate = case(GULL)
    raw = candidate.question
    agreed = replace(candidate, question=replace(raw, aliases=("gulls", "tern")))
    parted = replace(candidate, question=replace(raw, aliases=("gulls", "pigeon")))
    assert CHECKS.decide("question", agreed).keep
    assert CHECKS.decide("question", parted).reason == "several answers"
