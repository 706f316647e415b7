"""What the product makes is, byte for byte, what it made before: ``python tests/golden_run.py`` writes it anew."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import golden_run
import pytest
from commands import kbe_here, kept_up, killed
from engines import Engine
from golden_run import FILES, GOLDENS, RUNS
from shared import once

from kbe_graph.store import Store

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the same run makes now."""
    return once(tmp_path_factory, "golden", golden_run.make)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda file: file.name)
def test_what_a_run_makes_is_what_it_made(made: Path, golden: Path) -> None:
    assert (made / golden.name).read_text() == golden.read_text()


@pytest.fixture(scope="session")
def kept(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A worker's own copy of the workspace, its engine up."""
    place = shutil.copytree(made / "W", tmp_path_factory.mktemp("golden") / "W")
    with kept_up(place):
        yield place


def test_all_that_was_made_is_saved_and_read_back_on_each_engine(
    kept: Path, made: Path, engine: Engine, store: Store, tmp_path: Path
) -> None:
    assert store.samples() == []
    kbe_here("-w", kept, "db", "backup", tmp_path / "kept.kbe")
    kbe_here("-w", tmp_path / "W", "init", address=engine.address)
    kbe_here("-w", tmp_path / "W", "db", "restore", tmp_path / "kept.kbe", address=engine.address)
    kbe_here("-w", tmp_path / "W", "db", "backup", tmp_path / "graph.kbe", address=engine.address)
    assert (tmp_path / "graph.kbe").read_bytes() == (made / "graph.kbe").read_bytes()
    for run in RUNS:
        assert golden_run.questions(tmp_path / "W", run, engine.address) == (FILES / f"{run}.jsonl").read_bytes()


def test_a_run_that_is_killed_at_each_gate_makes_the_same(tmp_path: Path) -> None:
    place = tmp_path / "W"
    with golden_run.begun(place, delay=0.3) as server:
        read, extract, evolve = golden_run.steps(server, "merged")
        kbe_here("-w", place, *read)
        for step, answers in ((extract, 6), *((evolve, 12),) * 4):
            assert killed(server, "-w", place, *step, answers=answers)
            if step == extract:
                kbe_here("-w", place, *step)
        kbe_here("-w", place, *evolve)
        assert golden_run.questions(place, "merged") == (FILES / "merged.jsonl").read_bytes()
