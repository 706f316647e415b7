from filter_cases import decide

from kbe_graph.checks.check import FilterSettings, Row
from kbe_graph.checks.people import Person, refused_person
from kbe_graph.english.wordnet import wordnet


def first(name):
    return wordnet().lookup(name).synsets[0].id


def test_people_are_met_by_their_roles() -> None:
    for role in [
        "umpire",
        "chef",
        "catcher",
        "pilot",
        "surfer",
        "jockey",
        "cowboy",
        "lifeguard",
        "plumber",
        "doctor",
        "boxer",
        "snowboarder",
        "diver",
        "driver",
        "priest",
        "subscriber",
        "passenger",
    ]:
        assert not refused_person(first(role))


def test_names_are_refused() -> None:
    for name in ["Benjamin Franklin", "Serena Williams", "Monet", "Madonna", "Queen Elizabeth"]:
        assert refused_person(first(name))


def test_groups_by_birth_faith_sex_age_or_family_are_refused() -> None:
    for group in [
        "italian",
        "asian",
        "caucasian",
        "hindu",
        "catholic",
        "rabbi",
        "woman",
        "boy",
        "toddler",
        "mother",
        "homeless",
    ]:
        assert refused_person(first(group))


def test_what_is_no_person_is_let_through() -> None:
    for thing in ["giraffe", "pizza", "Italy", "baseball"]:
        assert not refused_person(first(thing))


def test_concepts_outside_wordnet_are_let_through():
    assert not refused_person("ncbi:9220")


def test_the_settings_name_relations_that_may_lead_to_a_name():
    row = Row("What is taking off?", "airplane", "airplane", "inventor", "Wright brothers")
    assert not decide(Person(FilterSettings()), row).keep
    assert decide(Person(FilterSettings(naming_relations=("inventor",))), row).keep
