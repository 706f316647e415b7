from dataclasses import replace

import pytest
from filter_cases import case, walk

from kbe_graph.evolve.checks import Checks, Known, PackSolver, hop_needed, several_answers, would_be
from kbe_graph.filters.row import Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.pack import Pack, pack
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.types import Fact


def hopped(row, text=""):
    """The candidate of a row with the question that it would become."""
    candidate = case(row)
    return candidate, would_be(replace(candidate, text=text))


GULL = Row("What kind of birds are these?", "seagull", "seagull", "taxonomic order", "Charadriiformes")
ISLES = Row(
    "What flag is that?",
    "United Kingdom",
    "United Kingdom",
    "capital",
    "London",
    path="Ireland > only neighbour > United Kingdom",
)
SOLVER = PackSolver(walk(), FilterSettings())


@pytest.mark.parametrize("row", [GULL, ISLES])
def test_a_good_question_passes_all_checks(row):
    candidate, question = hopped(row)
    assert Checks(pack()).decide(candidate, question).keep
    assert not Checks(pack()).faulty(candidate)


def test_a_second_fact_on_the_way_makes_several_answers():
    _, question = hopped(ISLES)
    start = question.key[1].subject.concept
    facts = tuple(fact for fact in pack().facts if fact.subject_id in {start, question.key[2].subject.concept})
    assert several_answers(question, Walk(Pack(facts, pack().relations))).keep
    france = wordnet().lookup("France").synsets[0].id
    paris = wordnet().lookup("Paris").synsets[0].id
    tunnel = Fact(start, "Ireland", "only neighbour", france, "France", "made up")
    capital = Fact(france, "France", "capital", paris, "Paris", "made up")
    decision = several_answers(question, Walk(Pack((*facts, tunnel, capital), pack().relations)))
    assert decision.reason == "several answers"
    assert decision.detail == "the facts lead to Paris"


def test_an_answer_that_the_facts_no_longer_give_is_refused():
    _, question = hopped(GULL)
    assert several_answers(question, Walk(Pack((), pack().relations))).detail == "the facts lead to nothing"


def test_other_answers_that_the_benchmark_accepts_must_lead_to_the_same():
    candidate, question = hopped(GULL)
    raw = candidate.question
    agreed = replace(candidate, question=replace(raw, aliases=("gulls", "tern")))
    parted = replace(candidate, question=replace(raw, aliases=("gulls", "pigeon")))
    assert Checks(pack()).decide(agreed, question).keep
    assert Checks(pack()).decide(parted, question).reason == "several answers"


def test_words_that_imply_the_answer_need_no_image():
    poodle = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic order", "Carnivora")
    assert hop_needed(hopped(poodle)[1], SOLVER).reason == "image not needed"


def test_a_kind_of_things_named_in_the_plural_implies_the_answer_as_well():
    row = Row("What type of shoes does she have on?", "flip flops", "flip-flop", "worn on", "foot")
    candidate, question = hopped(row, "What is the body part covered by the shoes she has on?")
    decision = Checks(pack()).decide(candidate, question)
    assert decision.reason == "image not needed"


def test_words_that_give_an_earlier_object_away_need_no_image():
    _, question = hopped(ISLES, "What is the capital of the United Kingdom, which borders the country on that flag?")
    assert hop_needed(question, SOLVER).reason == "image not needed"


def test_a_hop_that_an_earlier_thing_skips_is_not_needed():
    _, question = hopped(ISLES._replace(relation="continent", object="Europe"))
    decision = hop_needed(question, SOLVER)
    assert decision.reason == "hop not needed"
    assert decision.detail == "IRELAND leads to the answer without the last fact"


def test_the_solver_answers_from_what_is_given():
    _, question = hopped(ISLES)
    assert "london" in SOLVER.answers(question, Known(text=False, given=(0,)))
    assert "london" not in SOLVER.answers(question, Known(text=False, given=(0,), last_fact=False))
    assert "london" in SOLVER.answers(question, Known(text=False, given=(1,)))
    assert SOLVER.answers(question, Known()) == frozenset()


def test_another_solver_can_be_asked():
    class Guesser:
        def answers(self, question, known):
            return frozenset({question.answer.lower()}) if known.text else frozenset()

    candidate, question = hopped(GULL)
    assert Checks(pack(), solver=Guesser()).decide(candidate, question).reason == "image not needed"
