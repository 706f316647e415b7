"""Questions of a model from statements: what it is given, and what becomes of its replies."""

import json

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.steps.tasks import StatementLine, WrittenQuestion, WrittenQuestions, wiki_questions_step

STATEMENTS = (StatementLine("crosses", "Firth of Forth"), StatementLine("commissioned by", "Forth Bridge Railway"))
WRONG = ("Firth of Tay", "River Clyde", "Moray Firth")
CROSSES = WrittenQuestion(1, "What does the bridge in this image cross?", "Firth of Forth", WRONG)
OPENING = WrittenQuestion(2, "In what year was the bridge in this image opened?", "1890", ("1877", "1901", "1924"))
STEP = wiki_questions_step("The bridge at night", "Forth Bridge", STATEMENTS, most=2)


def as_json(written: WrittenQuestion, **changes: object) -> dict[str, object]:
    values = {"n": written.number, "question": written.text, "correct_answer": written.answer}
    return values | {"wrong_answers": list(written.wrong)} | changes


def reply(*questions: object) -> StepReply:
    return StepReply(json.dumps({"questions": questions}))


def test_a_model_is_given_the_caption_the_name_that_it_must_not_use_and_numbered_statements() -> None:
    assert STEP.turns()[-1].text.splitlines() == [
        "Caption: <<<The bridge at night>>>",
        "Never named: <<<Forth Bridge>>>",
        "1 <<<crosses: Firth of Forth>>>",
        "2 <<<commissioned by: Forth Bridge Railway>>>",
        "Questions: up to 2 questions",
        "Write in English.",
    ]
    for most in (0, 7):
        with pytest.raises(ValueError, match=f"most is {most}"):
            wiki_questions_step("c", "n", STATEMENTS, most=most)


def test_a_question_that_is_not_as_asked_for_is_refused_with_its_reason_and_the_others_stay() -> None:
    rows = {
        "the answer stands in the question": {"question": "Is it the Firth of Forth that the bridge crosses?"},
        "speaks of the caption or the statements": {"question": "According to the caption, what does it cross?"},
        "equal options": {"wrong_answers": ["River Clyde", "the river clyde", "Tay"]},
        "no single question": {"question": "The bridge crosses a firth."},
    }
    for reason, changes in rows.items():
        written = STEP.read(reply(as_json(CROSSES, **changes), as_json(OPENING)))
        assert written == WrittenQuestions((OPENING,), {reason: 1}), reason


def test_a_reply_without_any_question_is_an_error_and_an_empty_list_is_none() -> None:
    assert STEP.read(reply()) == ((), {})
    for text in ("", "There is nothing to ask.", "I'm sorry, I cannot help with that.", "{}", "[1, 2]"):
        with pytest.raises(ReplyError):
            STEP.read(StepReply(text))
