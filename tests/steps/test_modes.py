"""A model in mode ``paper``, from extraction to the last hop, against a loopback server."""

from pathlib import Path

from loopback_server import LoopbackServer
from model_cases import ANSWERS, answer_step, asking, go, steps_asked

from kbe_graph.store import Store

CALLS = {"extract": 1, "key": 1, "knowledge": 3, "representative": 3, "express": 3}


def test_mode_paper_asks_as_many_calls_a_sample_as_it_should_and_none_again(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, asking())
        expected = {step: count * len(ANSWERS) for step, count in CALLS.items()}
        assert steps_asked(server.requests) == expected
        questions = embedded_store.questions(run="r")
        reasons = {question.reason for question in embedded_store.questions(run="r", status=None)}
        assert (len(questions), reasons) == (3 * len(ANSWERS), {""})
        go(embedded_store, tmp_path, server.url, asking())
        go(embedded_store, tmp_path, server.url, asking(), run="again")
        assert steps_asked(server.requests) == expected
    for question in questions:
        assert [part.partition(":")[0] for part in question.provenance.prompt.split("+")] == ["knowledge", "express"]
        assert len(question.provenance.calls) == 2
        assert question.aliases
