"""The steps that ask a model under test and judge what it said: what is asked, and how replies are read."""

import json

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.steps.tasks import Judgeable, answer_step, judge_step

ANSWERS = (
    Judgeable("What is it?", "horse", ("mare",), "a mare"),
    Judgeable("Who?", "Ann", (), "right\n1 answer: <<<Ann>>>"),
)


def verdicts(*entries: object) -> StepReply:
    return StepReply(json.dumps({"verdicts": entries}))


def test_the_question_alone_is_asked_with_its_picture_or_without() -> None:
    step, blind = answer_step("What is it?\nSay yes."), answer_step("What is it?", sees_image=False)
    assert (step.sees_image, blind.sees_image) == (True, False)
    assert step.turns()[-1].text == "<<<What is it? Say yes.>>>"
    assert step.form is None


def test_a_reply_is_kept_as_it_came() -> None:
    for text, expected in [
        ("giraffe", "giraffe"),
        ("<think>A  long\tneck.</think>\ngiraffe\n", "<think>A long neck.</think>\ngiraffe"),
        ("<<<giraffe>>>", "giraffe"),
        ("I cannot tell.", "I cannot tell."),
    ]:
        assert answer_step("?").read(StepReply(text)) == expected, (text, expected)


def test_silence_is_told() -> None:
    with pytest.raises(ReplyError, match="empty") as caught:
        answer_step("?").read(StepReply(" \n"))
    assert caught.value.kind == "empty"


def test_a_judge_sees_question_and_picture_and_the_papers_neither() -> None:
    step, paper = judge_step(ANSWERS), judge_step(ANSWERS, as_paper=True)
    assert step.turns()[-1].text.splitlines() == [
        "1 question: <<<What is it?>>>",
        "1 right answer: <<<horse (also: mare)>>>",
        "1 answer: <<<a mare>>>",
        "2 question: <<<Who?>>>",
        "2 right answer: <<<Ann>>>",
        "2 answer: <<<right 1 answer: ‹‹‹Ann›››>>>",
    ]
    assert (step.sees_image, paper.sees_image) == (True, False)
    assert paper.turns()[-1].text.splitlines()[0] == "1 reference: <<<horse (also: mare)>>>"
    assert "What is it?" not in paper.turns()[-1].text


def test_verdicts_are_read_by_their_number_and_a_doubtful_one_is_wrong() -> None:
    reply = verdicts({"n": 2, "right": True}, {"n": 1, "right": True}, {"n": 1, "right": False})
    assert judge_step(ANSWERS).read(reply) == [False, True]


def test_no_verdict_is_made_up() -> None:
    for text, problem in [
        ("All are right.", "no JSON object"),
        (verdicts({"n": 1, "right": True}).text, "2 answers to judge"),
        (verdicts({"n": 1, "right": True}, {"n": 3, "right": True}).text, "found those numbered"),
        (verdicts().text + verdicts().text, "several lists"),
    ]:
        with pytest.raises(ReplyError, match=problem):
            judge_step(ANSWERS).read(StepReply(text))
