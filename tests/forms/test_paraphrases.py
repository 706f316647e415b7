"""Questions in other words: what the rules write and refuse, and what a model's paraphrase must keep."""

import json
from pathlib import Path

import pytest
from loopback_calls import run_work
from loopback_server import LoopbackServer, reply_with
from model_cases import step_of

from kbe_graph.errors import NoCandidate
from kbe_graph.forms.paraphrase import (
    Paraphrase,
    check_same,
    paraphrase,
    paraphrase_by_model,
    proposals,
    rephrasings,
    why_no_paraphrase,
)
from kbe_graph.models import CallStore
from kbe_graph.steps.asker import Asker

QUESTION = "What is the man holding?"


def test_a_question_is_asked_in_other_words() -> None:
    for question, expected in [
        (QUESTION, "What is the thing that the man is holding?"),
        ("Why is the kid wearing a helmet?", "For what reason is the child wearing a helmet?"),
        ("How many people can sit at the table?", "What number of people can sit at the table?"),
    ]:
        assert expected in proposals(question), (question, expected)
        assert paraphrase(question), (question, expected)


def test_each_row_of_the_table_makes_what_it_says() -> None:
    for row in (*rephrasings("order"), *rephrasings("words")):
        assert row.apply(row.example) == row.outcome, row


def test_a_question_that_no_rule_fits_is_refused_with_the_reason() -> None:
    for question, reason in [
        ("What celestial body affects the behavior of this water?", "hardly other words"),
        ("Is this animal dangerous?", "no rule"),
        ("What animal is chassing this sheep?", "misspelled"),
        ("Look at this. What is it?", "several sentences"),
    ]:
        assert paraphrase(question) is None, (question, reason)
        assert why_no_paraphrase(question) == reason, (question, reason)


def test_a_paraphrase_that_is_none_is_refused_with_the_reason() -> None:
    for text, reason in [
        ("What is the man's the holding of this animals?", "flaw in the paraphrase"),
        ("What's the man holding?", "hardly other words"),
        ("What is the thing that the man over there in the middle of this picture is holding?", "another length"),
        ("Where is the thing that the man is holding?", "asks for something else"),
        ("What is the thing that the two are holding?", "another name, number or negation"),
        ("What is it that the man is not holding?", "another name, number or negation"),
        ("What is the racket that the man is holding?", "names the answer"),
        ("What is the color of this person's hat?", "asks about something else"),
        ("Which wooden sports tool is the man holding?", "says more"),
    ]:
        with pytest.raises(NoCandidate) as refused:
            check_same(text, QUESTION, ["racket"])
        assert refused.value.reason == reason, (text, reason)


# --- by a model


def by_model(folder: Path, said: str) -> Paraphrase:
    """Return what a scripted model's reply makes of the question."""
    store = CallStore(folder / "calls.sqlite")
    try:
        with LoopbackServer(otherwise=reply_with(json.dumps({"question": said}))) as server:
            result: Paraphrase = run_work(
                server, store, lambda model: paraphrase_by_model(Asker(model, lambda _: ()), QUESTION, ["racket"])
            )
            assert {step_of(request) for request in server.requests} == {"paraphrase"}
            return result
    finally:
        store.close()


def test_a_models_paraphrase_is_taken(tmp_path: Path) -> None:
    paraphrase_ = by_model(tmp_path, "Which object does the man hold?")
    assert paraphrase_ == ("Which object does the man hold?", "model loopback", paraphrase_.difference)
