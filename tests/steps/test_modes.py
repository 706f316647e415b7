"""A model in the three modes, from extraction to the last hop, against a loopback server."""

from pathlib import Path

import pytest
from loopback_server import LoopbackServer
from model_cases import ANSWERS, answer_step, asking, go, steps_asked

from kbe_graph.steps.model_options import Mode
from kbe_graph.store import Store

CALLS: dict[Mode, dict[str, int]] = {
    "paper": {"extract": 1, "key": 1, "knowledge": 3, "representative": 3, "express": 3},
    "merged": {"graph": 1, "hop": 3},
}
TOTALS: dict[Mode, int] = {"paper": 11, "merged": 4}


@pytest.mark.parametrize("mode", CALLS)
def test_each_mode_asks_as_many_calls_a_sample_as_it_should_and_none_again(
    embedded_store: Store, tmp_path: Path, mode: Mode
) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, asking(mode))
        expected = {step: count * len(ANSWERS) for step, count in CALLS[mode].items()}
        assert steps_asked(server.requests) == expected
        assert len(server.requests) == TOTALS[mode] * len(ANSWERS)
        questions = embedded_store.questions(run="r")
        reasons = {question.reason for question in embedded_store.questions(run="r", status=None)}
        assert (len(questions), reasons) == (3 * len(ANSWERS), {""})
        go(embedded_store, tmp_path, server.url, asking(mode))
        go(embedded_store, tmp_path, server.url, asking(mode), run="again")
        assert len(server.requests) == TOTALS[mode] * len(ANSWERS)
    prompts = {"paper": ["knowledge", "express"], "merged": ["hop"]}[mode]
    for question in questions:
        assert [part.partition(":")[0] for part in question.provenance.prompt.split("+")] == prompts
        assert len(question.provenance.calls) == (2 if mode == "paper" else 1)
        assert question.aliases
