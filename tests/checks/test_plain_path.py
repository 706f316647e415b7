from dataclasses import replace

import pytest
from filter_cases import case

from kbe_graph.checks.plain_path import PlainPath
from kbe_graph.checks.row import Row
from kbe_graph.types import PRESUPPOSED, Candidate


def _candidate(question: str, path: str, source: str = "detection") -> Candidate:
    answer = path.rpartition(" > ")[2]
    candidate = case(Row(question, answer, answer, "capital", "x", path=path))
    first, *others = candidate.question.key
    key = (replace(first, source=source), *others)
    asked = replace(candidate.question, kind="raw", hop=0, key=key, concept=key[-1].object.concept)
    return replace(candidate, question=asked)


def _refusal(question: str, path: str, source: str = "detection") -> str:
    return PlainPath().decide(_candidate(question, path, source)).detail


@pytest.mark.parametrize(
    ("path", "keeps"),
    [
        ("fork > kind > broccoli", False),
        ("person > kind > map", False),
        ("animal > kind > cake", False),
        ("pole > kind > flag", False),
        ("birds > kind > pelican", True),
        ("vehicle > kind > truck", True),
        ("blanket > kind > quilt", True),
        ("person > called > surfing", False),
        ("game > called > skydiving", False),
        ("game > called > tennis", True),
        ("airplane > capital city > paris", False),
        ("country > capital city > paris", True),
    ],
)
def test_a_thing_is_no_kind_of_what_it_cannot_be(path: str, keeps: bool):
    assert (_refusal("What is it?", path) == "") is keeps


def test_nothing_is_called_what_its_young_are():
    assert _refusal("What are the young of this animal called?", "animal > called > duckling")
    assert not _refusal("What is this bird called?", "bird > called > duck")


def test_a_place_is_not_its_own_place():
    assert _refusal("Can you guess the location?", "location > location > arizona")


def test_what_nobody_can_see_is_not_presupposed():
    assert _refusal("What country is the company from?", "company > from country > japan", PRESUPPOSED)
    assert not _refusal("What country is the toy from?", "toy > from country > japan", PRESUPPOSED)


def test_what_is_told_of_a_flag_is_not_told_of_the_scene():
    assert _refusal("What country does the flag represent?", "scene > country > malaysia")
    assert not _refusal("What country was this picture taken in?", "scene > country > malaysia")


@pytest.mark.parametrize(
    ("answer", "name", "refusal"),
    [
        ("hummingbird", "HUMMING", "humming"),
        ("hummingbird", "HUMMING BIRD", ""),
        ("hummingbird", "HUMMINGBIRDS", ""),
        ("tow truck", "TOW", ""),
    ],
)
def test_an_animal_is_told_by_a_name_of_it(answer: str, name: str, refusal: str):
    candidate = _candidate("What is this?", f"thing > kind > {answer}")
    *first, last = candidate.question.key
    key = (*first, replace(last, object=replace(last.object, name=name)))
    asked = replace(candidate, question=replace(candidate.question, key=key))
    assert PlainPath().decide(asked).detail == refusal
