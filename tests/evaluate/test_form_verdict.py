"""Answers to questions in other forms are held against the form's own gold answer."""

import pytest

from kbe_graph.evaluate.form_verdict import ALL_RIGHT, form_prompt, is_right
from kbe_graph.types import Form, QuestionForm

OPTIONS = ("hawk", "heron", "black kite", "owl", "emu")
GOLD = {
    "choice": QuestionForm("q", "choice", "Which?", OPTIONS[:4], ("heron",)),
    "several": QuestionForm("q", "several", "Which of these?", OPTIONS, ("hawk", "black kite")),
    "fill": QuestionForm("q", "fill", "Fill in the gap: It is ____.", (), ("Rome", "Roma")),
    "true-false": QuestionForm("q", "true-false", "True or false: It is Rome.", (), ("false",)),
}


@pytest.mark.parametrize(
    ("form", "reply", "expected"),
    [
        ("choice", "B", True),
        ("choice", "heron", True),
        ("choice", "I see it.\nANSWER: B", True),
        ("choice", "A", False),
        ("choice", "Roma", False),
        ("choice", "A, B", False),
        ("several", "A, C", True),
        ("several", "C and A", True),
        ("several", "ANSWER: A,C", True),
        ("several", "(A), (C).", True),
        ("several", '["A", "C"]', True),
        ("several", "black kite, hawk", True),
        ("several", "Hawk and black kite", True),
        ("several", "A", False),
        ("several", "A, B, C", False),
        ("several", "hawk, emu", False),
        ("several", "A, Z", False),
        ("several", "hawks are birds", False),
        ("several", "", False),
        ("fill", "rome", True),
        ("fill", "Roma", True),
        ("fill", "Milan", False),
        ("true-false", "False", True),
        ("true-false", "false, it is Milan", True),
        ("true-false", "B", True),
        ("true-false", "True", False),
        ("true-false", "A", False),
        ("true-false", "x", False),
    ],
)
def test_a_reply_is_held_against_the_gold_answer_of_its_form(form: Form, reply: str, expected: bool) -> None:
    assert is_right(GOLD[form], reply, "alias") is expected


def test_what_is_asked_says_how_to_answer() -> None:
    assert form_prompt(GOLD["fill"]) == GOLD["fill"].text
    assert form_prompt(GOLD["several"]).splitlines() == [
        "Which of these?", "A. hawk", "B. heron", "C. black kite", "D. owl", "E. emu", ALL_RIGHT,
    ]  # fmt: skip
    assert form_prompt(GOLD["choice"]).endswith("Answer with the letter of the right option.")
