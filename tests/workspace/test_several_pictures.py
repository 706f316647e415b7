"""A question about several pictures keeps all of them: asked, exported, shown, backed up and forgotten."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from loopback_http import LoopbackRequest, LoopbackResponse
from loopback_server import LoopbackServer
from PIL import Image
from scripted_models import ScriptedSubject

import kbe_graph as kbe
from kbe_graph.datasets.benchmark import read_benchmark
from kbe_graph.store import Address

COLORS = ("red", "blue", "green")
QUESTION = "Which one is older?"
SAMPLE = "own/all/2"


def png(color: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (16, 16), color).save(stream, "PNG")
    return stream.getvalue()


def color_of(content: bytes) -> str:
    """Name the colour of a picture, which may be a JPEG by now."""
    red, green, blue = Image.open(io.BytesIO(content)).convert("RGB").resize((1, 1)).getpixel((0, 0))  # type: ignore[misc]
    return max((red, "red"), (blue, "blue"), (green, "green"))[1]


@pytest.fixture
def work(tmp_path: Path, empty_graph: Address) -> Iterator[kbe.Workspace]:
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    cells = [base64.b64encode(png(color)).decode() for color in COLORS]
    rows = [
        {"id": "1", "question": "What is it?", "answer": "a wall", "image": cells[0]},
        {"id": "2", "question": QUESTION, "answer": "the first", "image": cells[1:]},
    ]
    work.load(rows, name="own")
    yield work
    work.close()


class WatchedSubject(ScriptedSubject):
    """Keeps the pictures of each request."""

    seen: list[list[str]]

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Note the colours of the pictures in their order, and answer."""
        parts = request.json["messages"][-1]["content"]
        uris = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        self.seen.append([color_of(base64.b64decode(uri.partition(",")[2])) for uri in uris])
        return super().__call__(request)


def test_a_model_is_asked_with_all_of_them_in_their_order(work: kbe.Workspace) -> None:
    subject = WatchedSubject({QUESTION: "the first"})
    subject.seen = []
    with LoopbackServer(otherwise=subject) as server:
        assert work.evaluate(kbe.ModelOptions("reader", base_url=server.url)).new == 2
    assert sorted(subject.seen) == [["blue", "green"], ["red"]]


def test_exports_hold_all_of_them_or_say_that_they_cannot(work: kbe.Workspace, tmp_path: Path) -> None:
    for name, count in {"jsonl": 2, "vlmevalkit": 2, "inspect": 2, "evalscope": 2, "huggingface": 2}.items():
        assert work.export(tmp_path / name, format=name) == count
    lines = [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()]
    assert [len(line.get("more_images", ())) for line in lines] == [0, 1]
    again = read_benchmark(next((tmp_path / "vlmevalkit").glob("*.tsv")), benchmark="b", save_images=tmp_path / "again")
    read = [[color_of((tmp_path / "again" / image).read_bytes()) for image in each.images] for each in again.samples]
    assert read == [["red"], ["blue", "green"]]
    asked = [json.loads(line) for line in (tmp_path / "inspect" / "questions.jsonl").read_text().splitlines()]
    files = [part["image"] for part in asked[1]["input"][0]["content"] if part["type"] == "image"]
    assert [color_of((tmp_path / "inspect" / file).read_bytes()) for file in files] == ["blue", "green"]
    (table,) = (tmp_path / "huggingface").glob("*/*.parquet")
    images = [[row["image"], *row["more_images"]] for row in pq.read_table(table).to_pylist()]
    assert [[color_of(image["bytes"]) for image in row] for row in images] == read


def test_a_backup_brings_them_back_and_forgetting_removes_their_files(work: kbe.Workspace, tmp_path: Path) -> None:
    before = list(work.samples())
    work.graph.backup(tmp_path / "backup.jsonl.gz")
    work.graph.restore(tmp_path / "backup.jsonl.gz", replace=True)
    assert list(work.samples()) == before
    assert len(list((tmp_path / "W" / ".kbe" / "images").iterdir())) == 3
    work.forget(samples=[SAMPLE])
    assert [color_of(file.read_bytes()) for file in (tmp_path / "W" / ".kbe" / "images").iterdir()] == ["red"]
