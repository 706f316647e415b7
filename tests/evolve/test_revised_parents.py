"""A run goes on from the newest words of a question that a reviewer revised, and not from one that was rejected."""

from collections.abc import Sequence
from pathlib import Path

from loopback_server import LoopbackServer
from model_cases import answer_step, asking, go, step_of
from review_cases import decide, opened_desk

from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question, question_id

FIRST = question_id("own/val/0", "r", 1)
RAW_FIRST = question_id("own/val/0", RAW, 0)
PAPER = asking()
TEXT = "Which open landscape is the home of this animal?"


def revised(desk: ReviewDesk, question: str, revision: dict[str, str]) -> None:
    decide(desk, question, "revise", revision=revision, insist=True)


def requests(server: LoopbackServer, step: str, since: int) -> Sequence[str]:
    """The requests of a step that came after so many."""
    return [request.text for request in server.requests[since:] if step_of(request) == step]


def question(store: Store, id_: str) -> Question:
    return next(each for each in store.questions(run="r") if each.id == id_)


def test_a_model_is_shown_the_newest_words_of_the_question_before(embedded_store: Store, tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, PAPER, hops=1)
        desk, asked, old = opened_desk(embedded_store, tmp_path), len(server.requests), question(embedded_store, FIRST)
        revised(desk, FIRST, {"text": "Where does it live?"})
        [version] = embedded_store.questions(run="r", status="revised")
        revised(desk, version.id, {"text": TEXT})
        go(embedded_store, tmp_path, server.url, PAPER, hops=2)
        [shown] = [text for text in requests(server, "knowledge", asked) if "savanna" in text.lower()]
    assert TEXT in shown
    assert old.text not in shown
    assert "Where does it live?" not in shown
    later = question(embedded_store, question_id("own/val/0", "r", 2))
    assert (later.parent, later.key[:-1]) == (FIRST, old.key)


def test_a_run_begins_with_the_words_and_the_answer_of_a_revised_raw_question(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, PAPER, run="other", hops=1)
        desk, asked = opened_desk(embedded_store, tmp_path), len(server.requests)
        revised(desk, RAW_FIRST, {"text": "Which animal is it?", "answer": "horse"})
        go(embedded_store, tmp_path, server.url, PAPER, hops=2)
        shown = [text for text in requests(server, "knowledge", asked) if "Which animal is it?" in text]
    assert [text.count("\nAnswer: <<<horse>>>") for text in shown] == [1]
    ways = ["middle|is a kind of|horse", "horse|young is called|foal", "foal|drinks|milk"]
    assert [step.id for step in question(embedded_store, question_id("own/val/0", "r", 2)).key[-3:]] == ways
