"""The estimate of the whole: made before anything is, and held against what an endpoint then counts."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from benches import bench
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from scripted_models import ScriptedSubject

import kbe_graph as kbe
from kbe_graph.errors import ModelError

scripted = bench("scripted")
SETTINGS = '[models.price]\ninput = 2.0\noutput = 8.0\n[models.verify]\nfamily = "another"\n'
NEAR = 2  # times more or less than what is made that an estimate may be


class Endpoint:
    """Answers all steps, and counts calls and tokens of each, as it bills them."""

    def __init__(self) -> None:
        self.script, self.subject = scripted.Script(), ScriptedSubject({})
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        step = request.json.get("response_format", {}).get("json_schema", {}).get("name", "answer")
        response = self.subject(request) if step in {"answer", "judge"} else self.script(request)
        text = json.loads(response.content)["choices"][0]["message"]["content"]
        prompt, output = scripted.prompt_tokens(request.json), -(-len(text) // scripted.CHARACTERS)
        self.calls[step] += 1
        self.tokens.update(prompt=prompt, output=output)
        return reply_with(text, prompt=prompt, output=output)


def test_an_estimate_of_the_whole_is_near_what_is_made(empty_graph: kbe.Address, tmp_path: Path) -> None:
    endpoint, demo = Endpoint(), kbe.demo()
    with LoopbackServer(otherwise=endpoint, record=False) as server:
        kbe.Workspace(tmp_path, address=empty_graph).close()
        with (tmp_path / "kbe.toml").open("a") as settings:
            settings.write(f"\n{SETTINGS}")
        with kbe.Workspace(tmp_path, address=empty_graph) as work:
            work.load(demo.samples, name="demo", split="demo", images=demo.images)
            model = kbe.ModelOptions("scripted", base_url=server.url, mode="paper", verify=True)
            scope: dict[str, Any] = {"sample": 30, "hops": 2, "run": "whole"}
            estimate = work.models.estimate(model, evaluate=["subject"], **scope)
            assert not endpoint.calls
            work.extract(model=model, sample=30)
            left = {each.step for each in work.models.estimate(model, **scope).steps if each.calls}
            before = {each.step for each in estimate.steps} - {"extract", "key", "answer", "judge"}
            assert before ^ left <= {"reselect"}  # the graphs may have no path to ask for
            work.evolve(model=model, **scope)
            work.evaluate(kbe.ModelOptions("subject", base_url=server.url), run="whole")
            costs = work.models.costs()
            again = work.models.estimate(model, evaluate=["subject"], **scope)
    most = {each.step: each.calls for each in estimate.steps}
    assert {step for step, count in endpoint.calls.items() if count > 2} <= most.keys()  # a rarer step may be missed
    assert endpoint.calls.total() / NEAR <= estimate.calls <= NEAR * endpoint.calls.total()
    assert endpoint.tokens["prompt"] / NEAR <= estimate.prompt <= NEAR * endpoint.tokens["prompt"]
    assert costs.dollars / NEAR <= estimate.dollars <= NEAR * costs.dollars
    assert estimate.calls == sum(each.calls for each in estimate.steps)
    assert again.calls < estimate.calls / 2


def test_samples_without_a_usable_reply_are_still_in_the_estimate(empty_graph: kbe.Address, tmp_path: Path) -> None:
    demo = kbe.demo()
    with (
        LoopbackServer(otherwise=lambda _: reply_with("{}"), record=False) as server,
        kbe.Workspace(tmp_path, address=empty_graph, progress=False) as work,
    ):
        work.load(demo.samples, name="demo", split="demo", images=demo.images)
        model = kbe.ModelOptions("scripted", base_url=server.url)
        before = work.models.estimate(model, sample=3, run="r")
        with pytest.raises(ModelError, match="none of 3 calls"):
            work.extract(model=model, sample=3)
        for id_ in work.store.sample_ids(status="loaded"):
            work.forget(samples=[id_])
        after = work.models.estimate(model, run="r")
    assert (after.waiting, after.calls) == (3, before.calls)
