"""A model that sees the picture puts another accepted answer in the place of one that it contradicts."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from PIL import Image

import kbe_graph as kbe
from kbe_graph.errors import ReplyError
from kbe_graph.steps.extractor import graph_step
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.types import REPLACED, Sample

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


def test_it_is_counted_and_told_with_the_answer_of_the_benchmark(work: kbe.Workspace) -> None:
    samples = work.store.status()["samples"]
    assert (samples["extracted"], samples["extracted by reason"]) == (3, {REPLACED: 1})
    assert samples["dropped by reason"] == {"answer contradicted": 1}
    assert "the picture contradicts the benchmark's answer tractor" in str(work.sample("own/val/right"))


def test_loading_again_keeps_it_and_extracting_again_undoes_it(work: kbe.Workspace, place: Path) -> None:
    before = by_name(work)
    work.load(place / "own.jsonl", name="own", split="val")
    assert by_name(work) == before
    extract(work, keep_answer, "another")
    assert {(sample.answer, sample.replaced) for sample in work.samples(status="extracted")} == {("tractor", "")}
    assert {question.answer for question in work.questions(run="raw")} == {"tractor"}
    assert "extracted by reason" not in work.store.status()["samples"]


def test_a_graph_that_leads_to_the_contradicted_answer_is_refused() -> None:
    seen = [{"s": "IMAGE", "r": "depicts", "o": "TRACTOR"}]
    reply = json.dumps({"visual": seen, "textual": [], "key": ["V1"], "instead": "crane"})
    with pytest.raises(ReplyError, match="no triplet leads to the answer 'crane'"):
        graph_step(Sample("own/val/1", "own", "val", "Which?", "tractor", tuple(PEOPLE))).read(StepReply(reply))


def test_an_export_tells_both_answers(work: kbe.Workspace, place: Path) -> None:
    work.export(place / "out.jsonl")
    lines = map(json.loads, (place / "out.jsonl").read_text().splitlines())
    told = {line["sample"]: (line["answer"], line.get("replaced_answer")) for line in lines}
    assert told["own/val/right"] == ("crane", "tractor")
    assert told["own/val/same"] == ("tractor", None)


def test_the_right_choice_stays_the_gold_of_multiple_choice() -> None:
    sample = Sample("own/val/1", "own", "val", "Which?", "tractor", tuple(PEOPLE), choices=("tractor", "bus"))
    other = sample.with_answer("crane")
    assert (other.answer, other.choice_of("crane"), other.agreed) == ("crane", "tractor", ())
    assert other.as_loaded == sample


def test_backups_keep_it(work: kbe.Workspace, place: Path) -> None:
    work.graph.backup(place / "graph.jsonl")
    with kbe.Workspace(place / "restored", progress=False) as other:
        other.load(place / "own.jsonl", name="own", split="val")
        other.graph.restore(place / "graph.jsonl", replace=True)
        assert by_name(other) == by_name(work)
        assert other.store.sample_status() == work.store.sample_status()
