"""Models perturb questions in place of rules."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

import kbe_graph as kbe
from kbe_graph.forms.paraphrase import paraphrase
from kbe_graph.types import RAW, QuestionVariant

QUESTIONS = {json.loads(line)["question"] for line in kbe.demo().samples.read_text(encoding="utf-8").splitlines()}


class Scripted:
    """Writes the paraphrases of the rules."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        self.asked += 1
        own = next(question for question in QUESTIONS if question in request.text)
        again = paraphrase(own)
        return reply_with(json.dumps({"question": again.text if again else own}))


@pytest.fixture
def work(empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        work.load(kbe.demo().samples, name="demo", split="demo", images=kbe.demo().images)
        yield work


def model(server: LoopbackServer, **more: Any) -> kbe.ModelOptions:
    return kbe.ModelOptions("m", base_url=server.url, api_key="k", **more)


def made(work: kbe.Workspace) -> list[QuestionVariant]:
    return work.store.variants(run=RAW)


WORDS: dict[str, Any] = {"text": ["paraphrase"]}


def test_a_models_words_are_asked_for_once_and_never_replaced_by_those_of_a_rule(work: kbe.Workspace) -> None:
    with LoopbackServer(otherwise=(scripted := Scripted())) as server:
        (words,) = work.perturb(**WORDS, model=model(server)).operations
        assert scripted.asked == len(QUESTIONS)
        assert work.perturb(**WORDS, model=model(server)).new == 0
        assert scripted.asked == len(QUESTIONS)
    assert words.kept
    assert words.kept + sum(words.refused.values()) + sum(words.rejected.values()) == len(QUESTIONS)
    makers = [json.loads(variant.recipe)[0]["maker"] for variant in made(work) if variant.status == "kept"]
    assert makers == ["model loopback"] * words.kept
    assert all(variant.recipe == "[]" for variant in made(work) if variant.status == "refused")
