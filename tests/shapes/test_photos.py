"""A folder of photos without questions: what is loaded, what a model asks of it, and how that is told."""

import csv
import json
from pathlib import Path

import pytest
from commands import kbe as command
from loopback_server import LoopbackServer
from PIL import Image
from shaped_model import AIRLINE, FACT, PLANE, REPLIES, Model

import kbe_graph as kbe
from kbe_graph.errors import DatasetError
from kbe_graph.extract.sample_graph import unanswered_drop

RAW_QUESTION, RAW_ANSWER = "What stands on the runway?", "a plane"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for name in ("one.jpg", "more/two.PNG"):
        file = tmp_path / "photos" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (64, 48), "white").save(file)
    return tmp_path / "photos"


def test_a_model_writes_the_question_of_a_photo_and_a_harder_one(photos: Path) -> None:
    see = {**REPLIES["see"], "visual": [PLANE], "identities": [AIRLINE], "q": RAW_QUESTION, "a": RAW_ANSWER}
    yes = {"n": 1, "related": True, "natural": True, "single": True, "worth": True}
    model = Model(
        see=see,
        look={"seen": [{"n": 1, "o": "AIR FRANCE", "p": 0.9}]},
        draft={"drafts": [FACT]},
        confirm={"verdicts": [{"n": 1, "true": True, "only": True}]},
        solve={"answers": [{"n": 1, "a": ["Roissy"]}]},
        pick={"verdicts": [yes], "best": 1},
    )
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(photos.parent / "W", progress=False) as work:
        assert work.load(photos).new == 2
        assert [sample.id for sample in work.samples()] == ["photos/all/more/two", "photos/all/one"]
        options = kbe.ModelOptions("scripted", base_url=server.url, mode="merged")
        work.extract(model=options)
        work.evolve(model=options, run="one")
        for run, text in (("raw", RAW_QUESTION), ("one", FACT["q"])):
            assert [question.text for question in work.questions(run=run)] == [text] * 2
        assert {question.provenance.maker for question in work.questions(run="raw")} == {"model"}
        work.export(photos.parent / "x.jsonl")
        rows = [json.loads(line) for line in (photos.parent / "x.jsonl").read_text(encoding="utf-8").splitlines()]
        told = {(row["question"], row.get("shape"), row.get("depth"), row.get("made_by")) for row in rows}
        assert told == {(RAW_QUESTION, None, None, "model"), (FACT["q"], "fact", 3, None)}
        work.export(photos.parent / "table", format="vlmevalkit")
        work.export(photos.parent / "folder", format="huggingface")
        with next((photos.parent / "table").glob("*.tsv")).open(encoding="utf-8") as stream:
            table = list(csv.DictReader(stream, delimiter="\t"))
        assert [(row["hop"], row["shape"], row["depth"]) for row in table] == [("0", "", "")] * 2 + [
            ("1", "fact", "3")
        ] * 2
        steps = len(model.steps)
        work.load(photos)
        work.extract(model=options)
        assert len(model.steps) == steps
        work.forget(run="one")
        work.load(photos)
        assert [sample.made for sample in work.samples()] == [True, True]


def test_photos_without_a_model_say_what_to_do(photos: Path) -> None:
    home = photos.parent / "W"
    command("-w", home, "init")
    loaded = command("-w", home, "load", photos)
    assert "--by model --model" in loaded
    assert "asks:" not in loaded
    drop = unanswered_drop(kbe.Sample("own/val/1", "own", "val", "", "", image="1.png"))
    assert drop is not None
    assert drop.detail.endswith("`kbe extract --by model`")  # any other mode that it named would be gone


def test_two_photos_of_one_name_are_refused(photos: Path) -> None:
    Image.new("RGB", (64, 48)).save(photos / "one.png")
    with kbe.Workspace(photos.parent / "W", progress=False) as work:
        with pytest.raises(DatasetError, match=r"one\.png.*rename one"):
            work.load(photos)
        assert list(work.samples()) == []
