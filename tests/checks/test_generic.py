from filter_cases import decide

from kbe_graph.checks.check import FilterSettings, Row
from kbe_graph.checks.fact import Generic, depth


def fact(object_):
    return Row("What are they riding?", "horse", "horse", "relation", object_)


def test_what_is_near_the_top_is_refused() -> None:
    for broad in ["animal", "food", "person", "thing", "material", "language", "object"]:
        assert decide(Generic(FilterSettings()), fact(broad)).reason == "generic"


def test_what_says_something_is_kept() -> None:
    for narrow in ["foal", "milk", "ocean", "foot", "leather", "Europe", "Equidae"]:
        assert decide(Generic(FilterSettings()), fact(narrow)).keep


def test_the_depth_is_a_setting():
    assert not decide(Generic(FilterSettings(generic_depth=4)), fact("ocean")).keep


def test_the_depth_is_the_shortest_way_up():
    assert depth("wn30:00001740-n") == 0
    assert depth("wn30:02084071-n") == 8
