from filter_cases import decide

from kbe_graph.checks import Row
from kbe_graph.checks.people import Readable

REFUSED = {
    "Is this animal dangerous?": "yes or no question",
    "Is this a fruit or a vegetable?": "either-or question",
    "Is this a dog or a cat?": "either-or question",
    "Are the objects decorative or useful?": "either-or question",
    "How do these animals keep cool?": "asks how or why",
    "Why is the man jumping?": "asks how or why",
    "This fork has how many prongs?": "asks how or why",
    "What is the purpose of the umbrellas?": "asks how or why",
    "This restricts an animals movement?": "an animals ",
    "What animal is chassing this sheep?": "chassing",
    "Look at this. What is it?": "several sentences",
}


def test_a_question_that_rules_cannot_ask_on_from_is_refused_with_what_is_wrong() -> None:
    for question, detail in REFUSED.items():
        decision = decide(Readable(), Row(question, "dog"))
        assert decision.reason == "not readable"
        assert decision.detail == detail


def test_our_own_questions_are_not_read_again() -> None:
    row = Row("Is this a dog or a cat?", "cat", "cat", "young", "kitten", path="dog > prey > cat")
    assert decide(Readable(), row).keep
