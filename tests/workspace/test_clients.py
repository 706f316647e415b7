"""Extraction, evolution and evaluation by several commands at once on one server, and by the workers of a cluster."""

import importlib.util
import json
import os
import pickle
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import quick_kbe
from commands import environment, kbe_here, kept_up
from engines import Engine, on_a_server
from model_cases import answer_step, step_of, write_benchmark
from specimens import dump

import kbe_graph as kbe
from kbe_graph.errors import BudgetReached, ConfigError, KbeWarning, ModelUnavailable, ReplyError
from kbe_graph.store import Store
from kbe_graph.store.engine_process import free_port
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

COPIES = 80
HOLDERS = "MATCH (part:Part) WHERE part.client <> '' RETURN DISTINCT part.client AS client"
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")


def answer(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step, or a question under evaluation."""
    return answer_step(request) if "response_format" in request.json else reply_with("a bow", output=3)


@pytest.fixture(scope="module")
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer) as server:
        yield server


@pytest.fixture(autouse=True)
def _own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each test start a cluster of its own, and join none of another one's."""
    monkeypatch.setenv("RAY_ADDRESS", "local")


@pytest.fixture(scope="module")
def benchmark_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many samples, whose prompts are few: some of the three pictures and answers each."""
    return write_benchmark(tmp_path_factory.mktemp("benchmark"), copies=COPIES)


def steps(url: str) -> list[tuple[str, ...]]:
    """Return the commands that ask a model, one after the other."""
    asking = ("--base-url", url, "--model", "m", "--api-key", "k")
    return [
        ("extract", "--by", "model", *asking),
        ("evolve", "--mode", "merged", "--hops", "2", "--run", "r", *asking),
        ("evaluate", "--run", "r", *asking),
    ]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """The variables by which a Ray cluster is found that was there before, and has two processors."""
    ray, port = Path(sys.executable).with_name("ray"), free_port()
    environ = {"RAY_ADDRESS": f"127.0.0.1:{port}", "RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
    start = [ray, "start", "--head", f"--port={port}", "--num-cpus=2", "--include-dashboard=false", "--block"]
    with (tmp_path / "ray.log").open("wb") as log:
        # in a session of its own, which is ended as a whole: 'ray stop' would end the clusters of other tests too
        head = subprocess.Popen(
            start, env=os.environ | environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    wait_for(lambda: b"Ray runtime started" in (tmp_path / "ray.log").read_bytes(), seconds=60)
    yield environ
    os.killpg(head.pid, signal.SIGTERM)
    head.wait(60)


def wait_for(condition: Callable[[], bool], *, seconds: float) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def load(folder: Path, file: Path) -> Path:
    with kbe.Workspace(folder, progress=False) as work:
        work.load(file, name="own", split="val")
    return folder


class Alone(NamedTuple):
    """What one command after the other makes of the benchmark, and what they ask."""

    graph: list[str]
    asked: Counter[tuple[str, str]]


@pytest.fixture(scope="module")
def alone(benchmark_file: Path, tmp_path_factory: pytest.TempPathFactory, model: LoopbackServer) -> Alone:
    """Run one command after the other, in a workspace of its own."""
    folder = tmp_path_factory.mktemp("alone")
    before = len(model.requests)
    with kept_up(folder):
        load(folder, benchmark_file)
        for arguments in steps(model.url):
            kbe_here("-w", folder, *arguments)
        with kbe.Workspace(folder, progress=False) as work:
            return Alone(dump(work.store), Counter(map(_asked, model.requests[before:])))


@on_a_server
def test_commands_at_once_make_what_one_makes(
    engine: Engine, store: Store, alone: Alone, benchmark_file: Path, model: LoopbackServer, tmp_path: Path
) -> None:
    environ = environment(engine.address)
    folders = [tmp_path / f"client{number}" for number in range(3)]
    for folder in folders:
        subprocess.run([quick_kbe.path(), "-w", folder, "init"], env=environ, check=True, capture_output=True)
        load_ = ["-w", folder, "load", benchmark_file, "--name", "own", "--split", "val"]
        subprocess.run([quick_kbe.path(), *load_], env=environ, check=True, capture_output=True)
    for arguments in steps(model.url):
        clients = [
            subprocess.Popen(
                [quick_kbe.path(), "--debug", "-w", folder, *arguments],
                env=environ,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for folder in folders
        ]
        said = [client.communicate(timeout=200) for client in clients]
        assert [client.returncode for client in clients] == [0, 0, 0], [err.decode()[-2000:] for _, err in said]
    assert dump(store) == alone.graph


@on_a_server
@pytest.mark.ci
@needs_ray
def test_workers_of_a_cluster_make_what_one_command_makes(
    engine: Engine,
    store: Store,
    alone: Alone,
    benchmark_file: Path,
    model: LoopbackServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = f"sk-{secrets.token_hex(16)}"
    monkeypatch.setenv("KBE_API_KEY", key)
    before = len(model.requests)
    work = kbe.Workspace(tmp_path / "ray", address=engine.address, progress=False)
    work.load(benchmark_file, name="own", split="val")
    options = kbe.ModelOptions("m", base_url=model.url, runner="ray")
    assert work.extract(model=options).kept == 3 * COPIES
    run = work.evolve(hops=2, run="r", model=options)
    assert run.grown
    assert run.state == "complete"
    with pytest.warns(KbeWarning, match="generator r and model m are of one family"):
        assert work.evaluate(options, run="r").new > 0
    assert dump(store) == alone.graph
    assert Counter(map(_asked, model.requests[before:])) == alone.asked  # nothing was asked by two workers
    assert model.requests[-1].headers["authorization"] == f"Bearer {key}"
    assert work.models.costs().lines
    work.close()
    logs = [file for file in _ray_logs().rglob("*") if file.is_file()]
    assert [file for file in logs if key.encode() in file.read_bytes()] == []
    assert len(logs) > 3


@on_a_server
@pytest.mark.ci
@needs_ray
def test_the_budget_of_a_cluster_is_that_of_all_its_workers(
    engine: Engine, store: Store, benchmark_file: Path, model: LoopbackServer, tmp_path: Path
) -> None:
    del store  # it is empty now
    before = len(model.requests)
    work = kbe.Workspace(tmp_path / "ray", address=engine.address, progress=False)
    work.load(benchmark_file, name="own", split="val")
    options = kbe.ModelOptions("m", base_url=model.url, api_key="k", runner="ray", max_calls=2)
    with pytest.raises(BudgetReached, match="2 calls were made"):
        work.extract(model=options)
    assert len(model.requests) == before + 2
    work.close()


@on_a_server
@pytest.mark.ci
@needs_ray
def test_two_workers_of_a_cluster_share_the_parts_and_one_pace(
    engine: Engine, store: Store, tmp_path: Path, cluster: Mapping[str, str]
) -> None:
    clients: set[str] = set()

    def watched(asked: LoopbackRequest) -> LoopbackResponse:
        """Answer, and note who holds parts meanwhile."""
        clients.update(row["client"] for row in store.connection.read_text(HOLDERS))
        return answer(asked)

    folder = tmp_path / "ray"
    with LoopbackServer(otherwise=watched, latency=0.5) as model:
        with kbe.Workspace(folder, address=engine.address, progress=False) as work:
            work.load(write_benchmark(tmp_path, copies=5 * COPIES), name="own", split="val")
        (folder / "kbe.toml").write_text("[models]\nin_flight = 1\n")
        asking = ("--by", "model", "--base-url", model.url, "--model", "m", "--api-key", "k", "--runner", "ray")
        environ = environment(engine.address) | cluster
        subprocess.run([quick_kbe.path(), "-w", folder, "extract", *asking], env=environ, check=True, timeout=120)
        assert len(model.requests) == len(set(map(_asked, model.requests)))
        assert model.most_in_flight == 1  # though two ask
    assert store.count_samples(status="extracted") == 15 * COPIES
    processes = {client.rsplit("-", 2)[1] for client in clients}
    assert len(processes) >= 2


@pytest.mark.ci
@needs_ray
def test_a_cluster_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    kbe_here("-w", tmp_path, "init")
    asking = ("--by", "model", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--runner", "ray")
    environ = environment(kbe.Address("bolt://127.0.0.1:9", "neo4j", "x")) | {"RAY_ADDRESS": "127.0.0.1:9"}
    done = subprocess.run(
        [quick_kbe.path(), "-w", tmp_path, "extract", *asking], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: no Ray cluster at RAY_ADDRESS '127.0.0.1:9' (")


@pytest.mark.ci
@needs_ray
def test_a_cluster_needs_a_server(tmp_path: Path) -> None:
    work = kbe.Workspace(tmp_path, progress=False)
    with pytest.raises(ConfigError, match=r"the workers of a cluster share a Neo4j server; set NEO4J_URI"):
        work.evolve(model=kbe.ModelOptions(runner="ray"), knowledge="pack", wording="rule")


def test_errors_travel_between_processes() -> None:
    for error in (ReplyError("cut off", reply="{", kind="cut"), ModelUnavailable("gone"), BudgetReached("spent")):
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
        assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)


def _asked(request: LoopbackRequest) -> tuple[str, str]:
    step = step_of(request) if "response_format" in request.json else "answer"
    return step, json.dumps(request.json["messages"])


def _ray_logs() -> Path:
    """The folder in which the Ray of this process writes its logs."""
    import ray

    return Path(ray._private.worker.global_worker.node.get_logs_dir_path())
