from dataclasses import replace

from filter_cases import ISLES, case, decide, walk

from kbe_graph.checks.chain import Shortcut
from kbe_graph.checks.check import Row
from kbe_graph.types import IMAGE, Entity, Triplet


def test_an_object_that_the_start_leads_to_at_once_is_refused():
    assert decide(Shortcut(walk()), ISLES).detail == "'Ireland' leads to 'Europe' sooner"


def test_an_object_that_takes_every_hop_is_kept():
    assert decide(Shortcut(walk()), ISLES._replace(relation="capital", object="London")).keep


def test_a_first_hop_is_no_shortcut_of_itself():
    row = Row("What country is that flag?", "Ireland", "Ireland", "continent", "Europe")
    assert decide(Shortcut(walk()), row).keep


def test_what_is_seen_on_the_way_to_the_answer_counts():
    candidate = case(Row("What breed is this?", "poodle", "poodle", "taxonomic family", "Canidae"))
    dog = Entity("DOG")
    key = (Triplet(IMAGE, "depicts", dog), replace(candidate.question.key[0], subject=dog, relation="breed"))
    seen = replace(candidate, question=replace(candidate.question, key=key))
    assert Shortcut(walk()).decide(candidate).keep
    assert Shortcut(walk()).decide(seen).detail == "'dog' leads to 'Canidae' sooner"
