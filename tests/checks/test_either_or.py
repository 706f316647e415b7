import pytest
from filter_cases import decide

from kbe_graph.checks.either_or import EitherOr
from kbe_graph.checks.row import Row


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is that a panda or a cat?", "cat"),
        ("What type of train is that freight or passenger?", "freight"),
        ("Are these fruits or vegetables?", "fruits"),
        ("Is the man cross country skiing or is he in a race?", "race"),
        ("Would you use a broom or a mop to clean this room?", "mop"),
        ("Is this person taking their dog for a walk or flying a kite?", "both"),
    ],
)
def test_a_question_that_offers_its_answer_is_refused(question, answer):
    assert decide(EitherOr(), Row(question, answer)).reason == "either-or"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What small cloth is used to wipe the face or eating this meal?", "napkin"),
        ("Can you guess the family or breed to which the dog belongs to?", "boston terrier"),
        ("What might this man collect or repair?", "clocks"),
        ("What animal is this?", "giraffe"),
    ],
)
def test_an_or_between_other_things_is_let_through(question, answer):
    assert decide(EitherOr(), Row(question, answer)).keep
