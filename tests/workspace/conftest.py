"""A workspace in which the demo was loaded, extracted and evolved once, for all that looks at it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_cases import write_benchmark
from shared import once

import kbe_graph as kbe


@pytest.fixture(scope="session", autouse=True)
def _own_settings() -> Iterator[None]:
    """Keep the settings of whoever runs the tests away from workspaces."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("NEO4J_", "KBE_M", "OPENAI_"))}
    yield
    os.environ.update(kept)


@pytest.fixture
def benchmark_file(tmp_path: Path) -> Path:
    """The samples of the scripted model, as a file."""
    return write_benchmark(tmp_path)


def evolve_demo(place: Path) -> None:
    """Make a workspace ``W`` with the demo and a run of two hops named ``demo``, and a backup of its graph."""
    with kbe.Workspace(place / "W", progress=False) as work:
        work.load(kbe.demo().samples, name="demo", split="demo", images=kbe.demo().images)
        work.extract(scene_graphs=kbe.demo().scene_graphs)
        work.evolve(hops=2, seed=0, run="demo")
        work.graph.backup(place / "graph.kbe")


@pytest.fixture(scope="session")
def two_hops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that workspace, which nobody opens: take a copy."""
    return once(tmp_path_factory, "two-hops", evolve_demo) / "W"


@pytest.fixture(scope="session")
def folder(two_hops: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a worker's own copy of that workspace."""
    return shutil.copytree(two_hops, tmp_path_factory.mktemp("demo") / "W")


@pytest.fixture(scope="session")
def work(folder: Path) -> Iterator[kbe.Workspace]:
    """The demo, with a run of two hops named ``demo``."""
    with kbe.Workspace(folder, progress=False) as work:
        yield work
