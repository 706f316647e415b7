"""A limit of calls or dollars holds for all that one call asks, and the same call goes on until all is done."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import answer_step, step_of, write_benchmark

import kbe_graph as kbe

SETTINGS = """
[models]
model = "other"
base_url = "{url}"
key = "k"
[models.judge]
model = "arbiter"
[models.judge.price]
input = 100
output = 1000
[models.answer.price]
input = 100
output = 1000
"""
MOST = 40  # times that a call is made
REACHED = re.compile(r"(\d+) calls were made(?: and \$([\d.]+))?")


def answer(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step of the method, a question, a request for other words or for verdicts, as a good model would."""
    if "response_format" not in request.json:
        return reply_with("horse")
    if step_of(request) == "paraphrase":
        return reply_with(json.dumps({"question": "What can be seen in this picture?"}))
    if step_of(request) in {"judge", "judge_paper"}:
        numbers = re.findall(r"^(\d+) (?:answer|response):", request.text, re.MULTILINE)
        return reply_with(json.dumps({"verdicts": [{"n": int(number), "right": True} for number in numbers]}))
    return answer_step(request)


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer, latency=0.02) as server:
        yield server


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, server: LoopbackServer) -> Iterator[kbe.Workspace]:
    """A workspace whose seven samples are asked about in seven ways, extracted without a limit."""
    folder = tmp_path_factory.mktemp("limits")
    file = write_benchmark(folder, copies=3)
    rows = [json.loads(line) for line in file.read_text().splitlines()][:7]
    asked = [row | {"question": f"What is this, number {number}?"} for number, row in enumerate(rows)]
    file.write_text("".join(json.dumps(row) + "\n" for row in asked))
    kbe.Workspace(folder / "W", progress=False).close()
    (folder / "W" / "kbe.toml").write_text(SETTINGS.format(url=server.url))
    with kbe.Workspace(folder / "W", progress=False) as work:
        work.load(file, name="own", split="val", images=folder)
        work.extract(model=kbe.ModelOptions("first", mode="paper"))
        yield work


def repeat(server: LoopbackServer, call: Callable[[], Any]) -> list[tuple[int, int, float]]:
    """Make a call until it reaches no limit; return what each sent, and the calls and dollars that it told.

    The last one tells nothing: it is given as what it sent, twice.
    """
    did: list[tuple[int, int, float]] = []
    while len(did) < MOST:
        before = len(server.requests)
        try:
            call()
        except kbe.BudgetReached as reached:
            told = REACHED.match(str(reached))
            assert told
            did.append((len(server.requests) - before, int(told[1]), float(told[2] or 0)))
        else:
            sent = len(server.requests) - before
            return [*did, (sent, sent, 0.0)]
    raise AssertionError(did)


def test_each_call_sends_what_it_may_and_the_next_goes_on(work: kbe.Workspace, server: LoopbackServer) -> None:
    before = len(server.requests)
    evaluate: dict[str, Any] = {"judges": ["model"]}
    for most, call in (
        (3, lambda: work.extract(model=kbe.ModelOptions(mode="paper", max_calls=3), replace=True)),
        (4, lambda: work.evolve(run="m", hops=2, model=kbe.ModelOptions(mode="paper", max_calls=4))),
        (5, lambda: work.evaluate(kbe.ModelOptions("subject", max_calls=5), run="m", **evaluate)),
        (1, lambda: work.stats.guess("m", model=kbe.ModelOptions("guesser", max_calls=1))),
    ):
        *stopped, (last, _, _) = repeat(server, call)
        assert stopped == [(most, most, 0.0)] * len(stopped)
        assert last <= most
    lines = [line for line in work.models.costs().lines if line.model != "first"]
    assert {line.step for line in lines} == {
        *("extract", "key", "knowledge", "representative", "express", "answer", "judge", "guess"),
        "alternatives",
    }
    assert sum(line.calls for line in lines) == len(server.requests) - before
