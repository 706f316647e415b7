"""Answers to questions in other forms are held against the form's own gold answer."""

from kbe_graph.evaluate.prompting import is_right
from kbe_graph.types import QuestionForm

OPTIONS = ("hawk", "heron", "black kite", "owl", "emu")
GOLD = {
    "choice": QuestionForm("q", "choice", "Which?", OPTIONS[:4], ("heron",)),
    "several": QuestionForm("q", "several", "Which of these?", OPTIONS, ("hawk", "black kite")),
    "fill": QuestionForm("q", "fill", "Fill in the gap: It is ____.", (), ("Rome", "Roma")),
    "true-false": QuestionForm("q", "true-false", "True or false: It is Rome.", (), ("false",)),
}


REPLIES = {
    "choice": ({"B", "heron", "I see it.\nANSWER: B"}, {"A", "Roma", "A, B"}),
    "several": (
        {"A, C", "AC", "C and A", "ANSWER: A,C", "(A), (C).", '["A", "C"]', "black kite, hawk", "Hawk and black kite"},
        {"A", "ABC", "A, B, C", "hawk, emu", "A, Z", "hawks are birds", ""},
    ),
    "fill": ({"rome", "Roma"}, {"Milan"}),
    "true-false": (
        {"False", "false, it is Milan", "B", "False, it is not true.", "False\nIt is Milan."},
        {"True", "A", "x", "False or true", "False? No, true.", "False, but actually it is true.", "False\nNo.\nA"},
    ),
}
"""Replies in each form that are right, and that are wrong."""


def test_a_reply_is_held_against_the_gold_answer_of_its_form() -> None:
    for form, (right, wrong) in REPLIES.items():
        assert {reply for reply in right | wrong if is_right(GOLD[form], reply, "alias")} == right, form
