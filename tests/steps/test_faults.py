"""A run with a model that fails now and then, is asked for second opinions, or is mixed with the pack."""

import json
from pathlib import Path

from loopback_server import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    cut_reply,
    refusal_reply,
    reply_with,
)
from model_cases import answer_step, asking, go, step_of, steps_asked

from kbe_graph.store import Store


def failing(request: LoopbackRequest) -> LoopbackResponse:
    """Answer well, but for the violin: there the hop is cut, and for the horse refused."""
    if step_of(request) == "knowledge" and "nswer: <<<violin>>>" in request.text:
        return cut_reply('{"candidates": [{"r": "is pl')
    if step_of(request) == "knowledge" and "nswer: <<<horse>>>" in request.text:
        return refusal_reply()
    return answer_step(request)


def test_what_dropped_for_a_reply_is_asked_again_by_the_same_command(embedded_store: Store, tmp_path: Path) -> None:
    bad = True

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return failing(request) if bad else answer_step(request)

    with LoopbackServer(otherwise=answer) as server:
        go(embedded_store, tmp_path, server.url, asking(), hops=2)
        asked = len(server.requests)
        go(embedded_store, tmp_path, server.url, asking(), hops=2)
        assert len(server.requests) == asked + 2
        bad = False
        go(embedded_store, tmp_path, server.url, asking(), hops=2)
        asked = len(server.requests)
        go(embedded_store, tmp_path, server.url, asking(), hops=2)
        assert len(server.requests) == asked
    assert [len(embedded_store.questions(run="r", hop=hop)) for hop in (1, 2)] == [3, 3]


def doubting(request: LoopbackRequest) -> LoopbackResponse:
    """Answer well, but doubt the bow."""
    if step_of(request) != "verify":
        return answer_step(request)
    lines = [line for line in request.text.splitlines() if " statement: " in line]
    verdicts = [{"n": number, "ok": "BOW" not in line} for number, line in enumerate(lines, 1)]
    return reply_with(json.dumps({"verdicts": verdicts}))


def test_second_opinions_go_in_one_call_across_samples_and_are_not_asked_again(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=doubting) as server:
        go(embedded_store, tmp_path, server.url, asking(verify=True), hops=1)
        assert steps_asked(server.requests) == {
            "extract": 3,
            "key": 3,
            "knowledge": 3,
            "representative": 3,
            "verify": 1,
            "express": 2,
        } | {"inspect": 1}
        request = next(request for request in server.requests if step_of(request) == "verify")
        assert isinstance(request.json["messages"][-1]["content"], str)
        (tmp_path / "calls.sqlite").unlink()
        go(embedded_store, tmp_path, server.url, asking(verify=True), hops=1, run="other")
        assert steps_asked(server.requests)["verify"] == 1
    for run in ("r", "other"):
        reasons = {
            question.sample[-1]: question.reason for question in embedded_store.questions(run=run, hop=1, status=None)
        }
        assert reasons == {"0": "", "1": "not verified", "2": ""}


def test_facts_of_a_model_are_worded_by_rule(embedded_store: Store, tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, asking(ground="require"), hops=1, wording="rule")
        assert set(steps_asked(server.requests)) == {"extract", "key", "knowledge", "representative"}
    questions = embedded_store.questions(run="r", hop=1)
    assert {question.key[-1].relation for question in questions} <= {"habitat", "young", "tool"}
    assert questions
    assert {question.provenance.maker for question in questions} == {"rule"}
    assert all(question.provenance.prompt.startswith("knowledge:") for question in questions)
