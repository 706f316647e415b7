"""The main job, as a user runs it: the demo on every engine, and a run that is killed."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import kbe, kbe_here, kept_up
from engines import Engine, on_a_server

from kbe_graph.store import Store

pytestmark = pytest.mark.long


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture(scope="module")
def demo(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The demo's workspace on the embedded engine, which is kept up, to be used."""
    place = tmp_path_factory.mktemp("demo") / "W"
    shutil.copytree(demo_made / "W", place)
    with kept_up(place):
        yield place


def test_the_demo_is_one_screen_of_counts_three_chains_and_what_to_try_next(demo_made: Path) -> None:
    said = (demo_made / "said").read_text()
    kept = Counter(line["hop"] for line in lines(demo_made / "out.jsonl") if line["status"] == "kept")
    assert f"57 samples -> new questions: {kept[1]} at hop 1, {kept[2]} at hop 2, {kept[3]} at hop 3" in said
    assert "three examples" in said
    assert said.count("  path     IMAGE -[depicts]-> ") == 3
    assert said.count("\n") < 70
    assert f"kbe -w {demo_made / 'W'} query" in said


def test_running_all_of_it_again_changes_nothing(demo: Path, demo_made: Path) -> None:
    kbe("-w", demo, "demo")
    kbe_here("-w", demo, "export", "jsonl", demo.parent / "again.jsonl", "--all")
    assert (demo.parent / "again.jsonl").read_bytes() == (demo_made / "out.jsonl").read_bytes()


@on_a_server
def test_the_same_questions_come_out_on_a_server(demo_made: Path, engine: Engine, store: Store, tmp_path: Path) -> None:
    assert store.samples() == []
    kbe("-w", tmp_path / "w", "demo", address=engine.address)
    kbe("-w", tmp_path / "w", "export", "jsonl", tmp_path / "out.jsonl", "--all", address=engine.address)
    assert (tmp_path / "out.jsonl").read_bytes() == (demo_made / "out.jsonl").read_bytes()
