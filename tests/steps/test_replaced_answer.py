"""A model that sees the picture puts another accepted answer in the place of one that it contradicts."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from PIL import Image

import kbe_graph as kbe
from kbe_graph.types import Sample

PEOPLE = ["tractor"] * 5 + ["crane"] * 3 + ["truck", "lorry"]
NAMES = {"right": "Crane", "stranger": "digger", "same": "Tractor", "none": ""}
Workspaces = Callable[[], kbe.Workspace]


def name_answer(request: LoopbackRequest) -> LoopbackResponse:
    """Name the answer that the question asks for, with a graph that leads to it."""
    name = next(name for question, name in NAMES.items() if f"Which vehicle, {question}?" in request.text)
    thing = (name or "tractor").upper()
    key = {"visual": [{"s": "IMAGE", "r": "depicts", "o": thing}], "textual": [], "key": ["V1"]}
    return reply_with(json.dumps(key | {"instead": name}))


def keep_answer(_: LoopbackRequest) -> LoopbackResponse:
    """Find every answer right."""
    seen = [{"s": "IMAGE", "r": "depicts", "o": "TRACTOR"}]
    return reply_with(json.dumps({"visual": seen, "textual": [], "key": ["V1"], "instead": ""}))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A benchmark of a question for each way to name an answer."""
    Image.new("RGB", (32, 32), (40, 90, 10)).save(tmp_path / "1.jpg")
    about = {"image": "1.jpg", "answer": "tractor", "answers": PEOPLE}
    rows = [{"question_id": name, "question": f"Which vehicle, {name}?"} | about for name in NAMES]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture
def work(place: Path) -> Iterator[kbe.Workspace]:
    with kbe.Workspace(place / "W", progress=False) as work:
        work.load(place / "own.jsonl", name="own", split="val")
        extract(work, name_answer)
        yield work


def extract(work: kbe.Workspace, answer: Callable[[LoopbackRequest], LoopbackResponse], name: str = "seer") -> None:
    with LoopbackServer(otherwise=answer) as server:
        work.extract(model=kbe.ModelOptions(name, base_url=server.url))
        told = ["Other answers that people gave: <<<crane; truck; lorry>>>" in each.text for each in server.requests]
    assert all(told)


def by_name(work: kbe.Workspace) -> dict[str, Sample]:
    return {sample.id.rpartition("/")[2]: sample for sample in work.samples()}


def test_only_another_accepted_answer_takes_the_place(work: kbe.Workspace) -> None:
    answers = {name: (sample.answer, sample.replaced) for name, sample in by_name(work).items()}
    own = ("tractor", "")
    assert answers == {"right": ("crane", "tractor"), "stranger": own, "same": own, "none": own}
    states = work.store.sample_status()
    assert states["own/val/stranger"].reason == "answer contradicted"
    assert "'digger', which it names instead, is no accepted answer" in states["own/val/stranger"].detail
    raw = {question.sample: question for question in work.questions(run="raw")}
    assert (raw["own/val/right"].answer, raw["own/val/right"].aliases) == ("crane", ())
    assert raw["own/val/right"].end.name == "CRANE"
    assert raw["own/val/same"].answer == "tractor"
