"""One input that a provider's filter refuses is a counted refusal of that sample, at each step, and ends nothing."""

from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, error_response, filtered_reply
from model_cases import ANSWERS, answer_step
from scripted_models import ScriptedSubject

import kbe_graph as kbe

SETTINGS = '[models.verify]\nfamily = "another"\n'
FILTERS = {
    "403": error_response(403, "The input was flagged by moderation"),
    "400": error_response(400, "filtered", code="content_filter"),
    "finish": filtered_reply(),
}
STEPS = ("extract", "knowledge", "verify", "inspect", "answer", "judge")


class Moderated:
    """Answers all steps, but refuses the second call of one step, each time that it comes."""

    def __init__(self, step: str, refusal: LoopbackResponse) -> None:
        self.step, self.refusal = step, refusal
        self.subject = ScriptedSubject({})
        self.met: list[str] = []

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        step = request.json.get("response_format", {}).get("json_schema", {}).get("name", "answer")
        if step == self.step:
            key = str(request.json["messages"])
            self.met += [key] if key not in self.met else []
            if key == self.met[min(1, len(self.met) - 1)] and (len(self.met) > 1 or step in {"verify", "inspect"}):
                return self.refusal
        return self.subject(request) if step in {"answer", "judge"} else answer_step(request)


@pytest.mark.parametrize(("step", "refusal"), [*zip(STEPS, (*FILTERS, *FILTERS), strict=True)])
def test_a_moderated_input_is_a_refusal_of_that_sample_alone(
    empty_graph: kbe.Address, benchmark_file: Path, tmp_path: Path, step: str, refusal: str
) -> None:
    endpoint = Moderated(step, FILTERS[refusal])
    place = tmp_path / "W"
    kbe.Workspace(place, address=empty_graph).close()
    with (place / "kbe.toml").open("a") as settings:
        settings.write(f"\n{SETTINGS}")
    with LoopbackServer(otherwise=endpoint) as server, kbe.Workspace(place, address=empty_graph) as work:
        work.load(benchmark_file, name="own", split="val")
        model = kbe.ModelOptions("loopback", base_url=server.url, mode="paper", verify=True)
        extracted = work.extract(model=model)
        assert dict(extracted.dropped) == ({"reply: filtered": 1} if step == "extract" else {})
        counts = work.evolve(model=model, hops=1, run="m").status()["runs"]["m"]["questions"]["hop 1"]
        refused = {"knowledge": 1, "verify": 3, "inspect": 3}.get(step, 0)  # a second look is shown many in a call
        assert counts.get("dropped by reason", {}) == ({"reply: filtered": refused} if refused else {})
        assert counts.get("kept", 0) == len(ANSWERS) - refused - (step == "extract")
        told: dict[str, Any] = {"run": "m", "judge": kbe.ModelOptions(base_url=server.url), "judges": ["judging"]}
        evaluated = work.evaluate(kbe.ModelOptions("subject", base_url=server.url), **told)
    assert (evaluated.unanswered, evaluated.refused) == (0, int(step == "answer"))
    assert evaluated.judgement.unjudged == (2 if step == "judge" else 0)  # of one picture
