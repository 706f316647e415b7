"""``kbe db merge``: workspaces that were made apart become one, as if it had been one from the beginning."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe_here
from model_cases import answer_step, samples
from specimens import dump

import kbe_graph as kbe
from kbe_graph.errors import InputError
from kbe_graph.testing import LoopbackServer
from kbe_graph.types import Prediction


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer_step) as server:
        yield server


def begin(folder: Path, benchmark: Path) -> Path:
    """Load a benchmark into a new workspace."""
    kbe_here("-w", folder, "init")
    kbe_here("-w", folder, "load", benchmark, "--name", "own", "--split", "val")
    return folder


@pytest.fixture
def benchmark_file(tmp_path: Path) -> Path:
    rows = [
        {"question_id": n, "image": sample.image, "question": sample.question, "answer": sample.answer}
        for n, sample in enumerate(samples(tmp_path))
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def go(folder: Path, url: str, *more: str) -> str:
    """Extract and evolve by asking a model."""
    asking = ("--base-url", url, "--model", "m", "--api-key", "k", *more)
    kbe_here("-w", folder, "extract", "--by", "model", *asking)
    return kbe_here("-w", folder, "evolve", "--mode", "merged", "--hops", "2", "--run", "r", *asking)


def content(folder: Path) -> list[str]:
    with kbe.Workspace(folder, progress=False) as work:
        return dump(work.store)


def test_two_shards_that_were_made_apart_become_what_one_workspace_makes(
    server: LoopbackServer, benchmark_file: Path, tmp_path: Path
) -> None:
    whole = begin(tmp_path / "whole", benchmark_file)
    go(whole, server.url)
    calls = len(server.requests)
    merged = begin(tmp_path / "merged", benchmark_file)
    parts = [begin(tmp_path / str(number), benchmark_file) for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        assert f"waits for shard {3 - number}/2" in go(part, server.url, "--shard", f"{number}/2")
    apart = len(server.requests) - calls
    assert 0 < apart < calls
    before = content(merged)
    assert "nothing was merged" not in kbe_here("-w", merged, "db", "merge", *parts)
    assert content(merged) != before
    once = content(merged)
    said = kbe_here("-w", merged, "db", "merge", *parts)
    assert "took in 0 samples with a graph, 0 questions, 0 answers and 0 calls" in said
    assert content(merged) == once
    go(merged, server.url)
    assert len(server.requests) == 2 * calls  # what was asked apart was not asked again
    assert content(merged) == content(whole)
    kbe_here("-w", merged, "db", "merge", *parts)
    assert content(merged) == content(whole)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[kbe.Workspace, kbe.Workspace]:
    """Two workspaces with the demo."""
    works = [kbe.Workspace(tmp_path / name, progress=False) for name in ("one", "other")]
    for work in works:
        work.load(kbe.demo().samples, name="demo", split="demo")
        work.extract(scene_graphs=kbe.demo().scene_graphs, shard="1/4")
        work.evolve(hops=1, run="r")
    return works[0], works[1]


def test_workspaces_that_do_not_agree_are_refused_and_nothing_is_written(
    pair: tuple[kbe.Workspace, kbe.Workspace], tmp_path: Path
) -> None:
    one, other = pair
    question = one.questions(run="r")[0]
    one.store.save_predictions([Prediction("m", question.id, "a horse")], {"m": "horses"})
    assert other.merge(one.folder.path) == (0, 0, 1, 0)
    assert dump(one.store) == dump(other.store)
    with pytest.raises(InputError, match="is this workspace"):
        other.merge(other.folder.path)
    one.store.save_predictions([Prediction("m", question.id, "a cow")])
    once = dump(other.store)
    with pytest.raises(InputError, match=r"answer '.*' of '.*one' is another one than here; nothing was merged"):
        other.merge(one.folder.path)
    assert dump(other.store) == once
    other.evolve(hops=0, run="more", seed=1)
    one.evolve(hops=0, run="more", seed=2)
    third = kbe.Workspace(tmp_path / "third", progress=False)
    with pytest.raises(InputError, match=r"run 'more' of '.*' was made with other settings \(seed\)"):
        third.merge(one.folder.path, other.folder.path)
    assert not third.store.count_samples()
