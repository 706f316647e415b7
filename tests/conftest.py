"""Fixtures: the engines, each started once, and a store whose graph is empty at the start of each test."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import engines
import neo4j_server
import pytest
import quick_kbe
from commands import kept_up
from engines import EACH_ENGINE, Engine, emptied
from shared import data_folder, make_demo, once

from kbe_graph.config import WARM
from kbe_graph.store import Address, Store
from kbe_graph.store.connect import connect
from kbe_graph.store.engine import use_engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# with PYTHONDONTWRITEBYTECODE each of a thousand processes would compile the package again
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "pycache")
    sys.dont_write_bytecode = False
# two workers on two cores: spinning BLAS threads take ten times the work of a single one
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# for every embedded engine that a test or a command starts: they start in half the time, and none runs for long
os.environ.setdefault("JAVA_TOOL_OPTIONS", " ".join(neo4j_server.QUICK))
os.environ.setdefault(WARM, "0")  # seconds


EVERYTHING = "KBE_TEST_EVERYTHING"


def pytest_xdist_auto_num_workers() -> int:
    """Use two workers more than processors, as tests often wait for an engine, a page or a late answer."""
    return (os.cpu_count() or 1) + 2


def pytest_xdist_setupnodes() -> None:
    """Share one server of fast commands among all workers."""
    quick_kbe.share()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a file, which share fixtures, on one worker, and long tests first; leave some to .ci/run."""
    left_to_ci = pytest.mark.skip(reason=f".ci/run runs it; so does {EVERYTHING}=1")
    for item in items:
        slow = item.get_closest_marker("ci") or "browser" in getattr(item, "fixturenames", ())
        if slow and not os.environ.get(EVERYTHING):
            item.add_marker(left_to_ci)
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{item.path.stem}"))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Disable garbage collection while tests are collected, and freeze the result, all of which stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A headless Chromium; without one the tests are skipped, and fail where KBE_REQUIRE_BROWSER is set."""
    from browser import CHROMIUM, chromium

    if not CHROMIUM.exists():
        if os.environ.get("KBE_REQUIRE_BROWSER"):
            pytest.fail(f"no {CHROMIUM}; install chromium ('make browser')")
        pytest.skip(f"no {CHROMIUM}; install chromium to test pages; KBE_REQUIRE_BROWSER=1 takes it for a failure")
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def embedded_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The embedded engine."""
    with engines.embedded(tmp_path_factory.mktemp("embedded")) as engine:
        yield engine


@pytest.fixture(scope="session", params=EACH_ENGINE)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Each engine in turn."""
    if request.param == "embedded":
        yield request.getfixturevalue("embedded_engine")
        return
    with engines.server(request.param, tmp_path_factory.mktemp("neo4j") / "home") as engine:
        yield engine


@pytest.fixture(scope="session")
def _engine_store(engine: Engine) -> Iterator[Store]:
    with connect(engine.address) as connection:
        yield Store(connection)


@pytest.fixture(scope="session")
def _embedded_store(embedded_engine: Engine) -> Iterator[Store]:
    with connect(embedded_engine.address) as connection:
        yield Store(connection)


@pytest.fixture
def store(_engine_store: Store) -> Store:
    """An empty graph, on each engine in turn."""
    return emptied(_engine_store)


@pytest.fixture
def embedded_store(_embedded_store: Store) -> Store:
    """An empty graph on the embedded engine."""
    return emptied(_embedded_store)


@pytest.fixture
def empty_graph(embedded_store: Store, embedded_engine: Engine) -> Address:
    """The address of the embedded engine with an empty graph, for workspaces that need no separate engine."""
    del embedded_store
    return embedded_engine.address


@pytest.fixture(scope="session")
def demo_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of ``kbe demo``, made once for all workers; copy its workspace ``W`` instead of opening it."""
    return once(tmp_path_factory, "demo", make_demo)


@pytest.fixture(scope="module")
def demo_kept_up(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace per module with the demo and a running engine, so that commands are fast."""
    workspace = tmp_path_factory.mktemp("demo") / "W"
    shutil.copytree(demo_made / "W", workspace)
    with kept_up(workspace):
        yield workspace


@pytest.fixture(scope="session")
def demo_looked_at(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace with the demo for read-only tests, with one engine for all workers."""
    folder = once(tmp_path_factory, "looked-at", lambda folder: shutil.copytree(demo_made / "W", folder / "W"))
    with use_engine(folder / "W" / ".kbe", warm=1):
        yield folder / "W"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the large data files, from KBE_DATA."""
    return data_folder()
