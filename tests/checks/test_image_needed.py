"""The counterfactual test: what else the picture could have shown under the question's words, and where that leads."""

from dataclasses import replace

from filter_cases import ISLES, case, decide, walk

from kbe_graph.checks import FilterSettings, build_checks
from kbe_graph.checks.check import Row
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Fact

CHECKS = build_checks(pack())


def image(**settings) -> ImageNotNeeded:
    """The check by the packaged facts."""
    return ImageNotNeeded(walk(), FilterSettings(**settings))


def sense(name: str) -> str:
    return wordnet().lookup(name).synsets[0].id


def dogs(*facts: str) -> Pack:
    """A pack of facts of dogs: "collie coat long"."""
    names = ("collie", "poodle", "beagle", "doberman", "corgi")
    told = [fact.split() for fact in (*facts, *(f"{name} size some" for name in names))]
    rows = (Fact(sense(dog), dog, relation, f"name:{thing}", thing, "made up") for dog, relation, thing in told)
    relation = pack().relations["sound"]
    return Pack(tuple(rows), {name: replace(relation, name=name, inherit=False) for name in ("coat", "size")})


def judged(facts: Pack, question: str = "What breed of dog is this?", **settings):
    walk = Walk(facts)
    candidate = case(Row(question, "collie", "collie", "coat", "long"))
    fact = Fact(sense("collie"), "collie", "coat", "name:long", "long", "made up")
    settings = FilterSettings(others_common=0, **settings)
    return ImageNotNeeded(walk, settings).decide(replace(candidate, fact=fact))


def test_what_most_other_things_have_with_other_objects_needs_the_image():
    assert judged(dogs("collie coat long", "poodle coat curly", "beagle coat short"), others_related=0.5).keep


def test_what_few_other_things_have_does_not_need_the_image():
    decision = judged(dogs("collie coat long", "poodle coat curly"), others_related=0.5)
    assert (decision.reason, decision.detail) == (
        "image not needed",
        "only 1 of 4 other things of 'dog' have the relation",
    )
    assert judged(dogs("collie coat long", "poodle coat curly"), others_related=0.25).keep


def test_where_the_facts_tell_the_relation_of_nothing_of_the_kind_nothing_is_known():
    assert judged(dogs()).keep
    assert decide(image(), Row("What is this?", "horse", "horse", "favourite song", "Jolene")).keep


def test_a_thing_in_the_question_whose_facts_give_the_answer_is_refused():
    row = Row("Which country borders the republic of ireland?", "uk", "uk", "capital", "London")
    assert decide(image(), row).detail == "'Ireland' in the question leads to 'United Kingdom'"


def test_a_later_hop_is_followed_from_the_kind_of_the_first_answer():
    assert decide(image(), ISLES).detail == "4 of 11 other things of 'country' lead to 'Europe'"
    assert decide(image(), ISLES._replace(relation="capital", object="London")).keep


def test_a_kind_of_things_named_in_the_plural_of_the_new_words_implies_the_answer_as_well():
    row = Row("What type of shoes does she have on?", "flip flops", "flip-flop", "worn on", "foot")
    worded = row._replace(text="What is the body part covered by the shoes she has on?")
    assert CHECKS.decide("question", case(worded)).reason == "image not needed"
