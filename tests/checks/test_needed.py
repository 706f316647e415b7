from dataclasses import replace

import pytest
from filter_cases import case, walk

from kbe_graph.checks import FilterSettings, build_checks
from kbe_graph.checks.chain import chain_with_fact
from kbe_graph.checks.implied import Implications
from kbe_graph.checks.needed import HopNotNeeded, ImageNotNeeded
from kbe_graph.checks.row import Row
from kbe_graph.checks.several_answers import SeveralAnswers
from kbe_graph.checks.solver import Given, PackSolver
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
SOLVER = PackSolver(walk(), Implications(walk(), FilterSettings()), FilterSettings())
CHECKS = build_checks(pack())


def image(row: Row):
    """What is decided of the need of the image."""
    return ImageNotNeeded(walk(), SOLVER).decide(case(row))


def hop(row: Row):
    """What is decided of the need of the last hop."""
    return HopNotNeeded(walk(), SOLVER).decide(case(row))


@pytest.mark.parametrize("row", [GULL, ISLES])
def test_a_good_question_passes_all_checks(row):
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


def test_an_answer_that_the_facts_no_longer_give_is_refused():
    none = Walk(Pack((), pack().relations))
    assert SeveralAnswers(none).decide(case(GULL)).detail == "the facts lead to nothing"


def test_other_answers_that_the_benchmark_accepts_must_lead_to_the_same():
    candidate = case(GULL)
    raw = candidate.question
    agreed = replace(candidate, question=replace(raw, aliases=("gulls", "tern")))
    parted = replace(candidate, question=replace(raw, aliases=("gulls", "pigeon")))
    assert CHECKS.decide("question", agreed).keep
    assert CHECKS.decide("question", parted).reason == "several answers"


def test_words_that_imply_the_answer_need_no_image():
    poodle = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic family", "Canidae")
    assert image(poodle).reason == "image not needed"


def test_a_kind_of_things_named_in_the_plural_implies_the_answer_as_well():
    row = Row("What type of shoes does she have on?", "flip flops", "flip-flop", "worn on", "foot")
    worded = row._replace(text="What is the body part covered by the shoes she has on?")
    assert CHECKS.decide("question", case(worded)).reason == "image not needed"


def test_words_that_give_an_earlier_object_away_need_no_image():
    text = "What is the capital of the United Kingdom, which borders the country on that flag?"
    assert image(ISLES._replace(text=text)).reason == "image not needed"


def test_a_hop_that_an_earlier_thing_skips_is_not_needed():
    decision = hop(ISLES._replace(relation="continent", object="Europe"))
    assert decision.reason == "hop not needed"
    assert decision.detail == "IRELAND leads to the answer without the last fact"


def test_the_solver_answers_from_what_is_given():
    links = chain_with_fact(case(ISLES))
    assert "london" in SOLVER.answers(links, Given(places=(0,)))
    assert "london" not in SOLVER.answers(links, Given(places=(0,), last_fact=False))
    assert "london" in SOLVER.answers(links, Given(places=(1,)))
    assert SOLVER.answers(links, Given(ISLES.question)) == frozenset()


def test_another_solver_can_be_asked():
    class Guesser:
        def answers(self, links, given):
            return frozenset({"laridae"}) if links.relations and given.text else frozenset()

    assert ImageNotNeeded(walk(), Guesser()).decide(case(GULL)).reason == "image not needed"
    assert HopNotNeeded(walk(), Guesser()).decide(case(GULL)).keep


def test_the_facts_are_asked_once_for_a_candidate():
    class Counting(PackSolver):
        asked = 0

        def _from_words(self, text, links):
            self.asked += 1
            return super()._from_words(text, links)

    solver = Counting(walk(), Implications(walk(), FilterSettings()), FilterSettings())
    for _ in range(3):
        assert ImageNotNeeded(walk(), solver).decide(case(ISLES)).keep
    assert solver.asked == 1
