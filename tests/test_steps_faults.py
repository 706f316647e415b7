"""A run with a model that fails now and then, is asked for second opinions, or is mixed with the pack."""

import json
from pathlib import Path

import pytest
from model_cases import answered, go, step_of, steps_asked

from kbe_graph.errors import QuotaReached
from kbe_graph.evolve.mix import Mix
from kbe_graph.store import Store
from kbe_graph.testing import Answer, Asked, LoopbackServer, cut, quota, refusal, said


def failing(asked: Asked) -> Answer:
    """Answer well, but for the violin: there the hop is cut, and for the horse refused."""
    if step_of(asked) == "hop" and "Answer: violin" in asked.text:
        return cut('{"candidates": [{"r": "is pl')
    if step_of(asked) == "hop" and "Answer: horse" in asked.text:
        return refusal()
    return answered(asked)


def test_a_reply_that_cannot_be_used_drops_its_sample_and_the_run_goes_on(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=failing) as server:
        go(embedded_store, tmp_path, server.url, Mix("merged"), hops=2)
    reasons = {one.sample[-1]: one.reason for one in embedded_store.questions(run="r", hop=1, status=None)}
    assert reasons == {"0": "", "1": "reply: cut", "2": "reply: refused"}
    assert len(embedded_store.questions(run="r", hop=2)) == 1


def test_an_empty_account_stops_the_run_which_goes_on_later(embedded_store: Store, tmp_path: Path) -> None:
    empty = True

    def short(asked: Asked) -> Answer:
        return quota() if empty and step_of(asked) == "hop" else answered(asked)

    with LoopbackServer(otherwise=short) as server:
        with pytest.raises(QuotaReached):
            go(embedded_store, tmp_path, server.url, Mix("merged"), hops=1)
        empty = False
        go(embedded_store, tmp_path, server.url, Mix("merged"), hops=1)
        assert steps_asked(server.asked)["graph"] == 3
    assert len(embedded_store.questions(run="r", hop=1)) == 3


def doubting(asked: Asked) -> Answer:
    """Answer well, but doubt the bow."""
    if step_of(asked) != "verify":
        return answered(asked)
    lines = [line for line in asked.text.splitlines() if line[:1].isdigit()]
    verdicts = [{"n": number, "ok": "BOW" not in line} for number, line in enumerate(lines, 1)]
    return said(json.dumps({"verdicts": verdicts}))


def test_second_opinions_go_in_one_call_across_samples_and_are_not_asked_again(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=doubting) as server:
        go(embedded_store, tmp_path, server.url, Mix("merged", verify=True), hops=1)
        assert steps_asked(server.asked) == {"graph": 3, "hop": 3, "verify": 1}
        asked = next(one for one in server.asked if step_of(one) == "verify")
        assert isinstance(asked.json["messages"][-1]["content"], str)
        (tmp_path / "calls.sqlite").unlink()
        go(embedded_store, tmp_path, server.url, Mix("merged", verify=True), hops=1, run="other")
        assert steps_asked(server.asked)["verify"] == 1
    for run in ("r", "other"):
        reasons = {one.sample[-1]: one.reason for one in embedded_store.questions(run=run, hop=1, status=None)}
        assert reasons == {"0": "", "1": "not verified", "2": ""}


def test_facts_of_the_pack_are_worded_by_a_model(embedded_store: Store, tmp_path: Path) -> None:
    def worded(asked: Asked) -> Answer:
        text = "Which one is it that this leads to?"
        return said(json.dumps({"question": text})) if step_of(asked) == "express" else answered(asked)

    with LoopbackServer(otherwise=worded) as server:
        go(embedded_store, tmp_path, server.url, Mix(knowledge="pack", wording="model"), hops=1)
        assert set(steps_asked(server.asked)) == {"graph", "express"}
    (question, *_) = embedded_store.questions(run="r", hop=1)
    assert question.provenance.maker == "model loopback"
    assert not question.key[-1].source.startswith("model")


def test_facts_of_a_model_are_worded_by_rule(embedded_store: Store, tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answered) as server:
        go(embedded_store, tmp_path, server.url, Mix(wording="rule", ground="require"), hops=1)
        assert set(steps_asked(server.asked)) == {"graph", "hop"}
    questions = embedded_store.questions(run="r", hop=1)
    assert {question.key[-1].relation for question in questions} <= {"habitat", "young", "tool"}
    assert questions
    assert {question.provenance.maker for question in questions} == {"rule"}
    assert all(question.provenance.prompt.startswith("hop:") for question in questions)
