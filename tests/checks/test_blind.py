import pytest
from filter_cases import ISLES, decide, walk

from kbe_graph.checks.blind import Blind
from kbe_graph.checks.implied import Implications
from kbe_graph.checks.row import Row
from kbe_graph.checks.thresholds import FilterSettings


def blind_by(settings):
    return Blind(Implications(walk(), settings), settings)


@pytest.fixture(scope="module")
def blind():
    return blind_by(FilterSettings())


def test_a_category_that_gives_the_object_itself_is_refused():
    row = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic family", "Canidae")
    detail = decide(blind_by(FilterSettings(blind_answers=1)), row).detail
    assert detail == "100% of what 'dog' admits gives 'Canidae'"


def test_a_category_that_leaves_few_objects_open_is_refused(blind):
    row = Row("What breed of dog is this?", "poodle", "poodle", "taxonomic family", "Canidae")
    assert decide(blind, row).detail == "what 'dog' admits gives no more than 1 answers"
    row = Row("What is this?", "horse", "horse", "taxonomic family", "Equidae")
    assert decide(blind, row).keep
    decision = decide(blind_by(FilterSettings(blind_answers=1000)), row)
    assert decision.detail.startswith("what no kind that is named admits gives no more than ")


def test_nothing_is_held_against_a_relation_that_the_pack_tells_nothing_of(blind):
    assert decide(blind, Row("What is this?", "horse", "horse", "favourite song", "Jolene")).keep


def test_a_category_enough_of_whose_things_lead_there_is_refused():
    row = Row("What animal is this?", "cow", "cow", "foot", "hoof")
    assert decide(blind_by(FilterSettings(blind_share=0.3, blind_answers=1)), row).reason == "blind"
    assert decide(blind_by(FilterSettings(blind_share=0.99, blind_answers=1)), row).keep


@pytest.mark.parametrize(
    ("question", "answer", "relation", "object_"),
    [
        ("What kind of animal is this?", "elephant", "taxonomic family", "Elephantidae"),
        ("What kind of birds are these?", "seagull", "taxonomic family", "Laridae"),
        ("What is the man riding?", "horse", "taxonomic family", "Equidae"),
        ("What country could this zebra be found in?", "kenya", "capital", "Nairobi"),
        ("Which kind of tree is shown in this picture?", "elm", "taxonomic family", "Ulmaceae"),
    ],
)
def test_a_category_that_leaves_the_object_open_is_kept(blind, question, answer, relation, object_):
    assert decide(blind, Row(question, answer, answer, relation, object_)).keep


def test_a_thing_in_the_question_whose_facts_give_the_answer_is_refused(blind):
    row = Row("Which country borders the republic of ireland?", "uk", "uk", "capital", "London")
    assert decide(blind, row).detail == "'Ireland' in the question leads to 'United Kingdom'"


def test_the_question_that_names_the_answer_is_refused(blind):
    row = Row("What is this horse called?", "horse", "horse", "taxonomic family", "Equidae")
    assert not decide(blind, row).keep


def test_a_later_hop_is_followed_from_the_kind_of_the_first_answer(blind):
    assert decide(blind_by(FilterSettings(blind_share=0.5)), ISLES).keep
    assert decide(blind, ISLES).detail == "36% of what 'country' admits gives 'Europe'"
