"""Questions of the demo are perturbed by rules and by models, and asked."""

import base64
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from commands import environment
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

import kbe_graph as kbe
from kbe_graph.forms.paraphrase import paraphrase
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.types import RAW, QuestionVariant

KBE = Path(sys.executable).with_name("kbe")
SOME: dict[str, Any] = {"image": ["pad"], "text": ["lead-in"], "seeds": 2, "sample": 6}


def load_demo(work: kbe.Workspace) -> kbe.Workspace:
    work.load(kbe.demo().samples, name="demo", split="demo", images=kbe.demo().images)
    return work


@pytest.fixture
def work(empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        yield load_demo(work)


def made(work: kbe.Workspace) -> list[QuestionVariant]:
    return work.store.variants(run=RAW)


def kept(work: kbe.Workspace, operation: str) -> list[QuestionVariant]:
    return [variant for variant in made(work) if (variant.operation, variant.status) == (operation, "kept")]


def pictures(work: kbe.Workspace) -> dict[str, bytes]:
    folder = work.folder.variant_images
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*"))} if folder.exists() else {}


def test_the_control_and_each_seed_are_made_and_counted(work: kbe.Workspace) -> None:
    perturbed = work.perturb(**SOME)
    counts = {each.operation: each.kept for each in perturbed.operations}
    assert counts == {"re-encode": 6, "pad": 12, "lead-in": 12}
    assert (perturbed.questions, perturbed.new) == (6, 30)
    assert {variant.image for variant in made(work)} - {""} == {*pictures(work)}
    assert all(variant.text for variant in made(work))
    json.dumps(asdict(perturbed))


def test_a_killed_process_goes_on_to_the_same_graph_and_pictures(work: kbe.Workspace) -> None:
    whole: dict[str, Any] = {"image": ["pad", "noise"], "seeds": 2}
    work.perturb(**whole)
    straight, shown = made(work), pictures(work)
    work.forget(benchmark="demo")
    load_demo(work)
    command = [str(KBE), "-w", str(work.folder.path), "perturb", "--image", "pad,noise", "--seeds", "2"]
    process = subprocess.Popen(
        command, env=environment(work.graph.engine.address()), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not made(work):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert 0 < len(made(work)) < len(straight)
    assert {variant.image for variant in made(work)} - {""} <= {*pictures(work)}
    work.perturb(**whole)
    assert made(work) == straight
    assert pictures(work) == shown


class Asked:
    """A model under test that keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Note words and picture of a question."""
        content = request.json["messages"][-1]["content"]
        (url,) = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        self.seen.append((request.text, base64.b64decode(url.partition(",")[2])))
        return reply_with("a dog")


def ask(work: kbe.Workspace, server: LoopbackServer, *variants: str, model: str = "m") -> Any:
    return work.evaluate(kbe.ModelOptions(model, base_url=server.url, api_key="k"), variants=variants)


def test_perturbed_questions_are_asked_with_their_own_words_and_pixels(work: kbe.Workspace) -> None:
    work.perturb(**SOME)
    pads, leads = kept(work, "pad"), kept(work, "lead-in")
    with LoopbackServer(otherwise=(asked := Asked())) as server:
        evaluated = ask(work, server, "image", "perturbed")
        assert (evaluated.asked, evaluated.new, len(asked.seen)) == (57 + 30, 57 + 30, 57 + 30)
        assert ask(work, server, "image", "perturbed").new == 0
        assert len(asked.seen) == 57 + 30
    sent, usual = {content for _, content in asked.seen}, Encoding(768, 85)
    for variant in pads:
        assert encode_jpeg(work.folder.variant_images / variant.image, usual) in sent
    for variant in leads:
        assert any(variant.text in text for text, _ in asked.seen)
    answers = [each for each in work.answers.predictions() if each.variant == "pad"]
    assert sorted((each.question, each.run) for each in answers) == sorted((each.question, each.run) for each in pads)
    changes = work.answers.evaluation().surface().changes
    kinds = {row["change"]: row["kind"] for row in changes}
    assert kinds == {"re-encode": "control", "pad": "surface", "lead-in": "surface"}


# by models

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


def model(server: LoopbackServer, **more: Any) -> kbe.ModelOptions:
    return kbe.ModelOptions("m", base_url=server.url, api_key="k", **more)


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
