"""Extraction and exploration by several processes give what one gives, here and on a Ray cluster."""

import asyncio
import importlib.util
import signal
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import kept_up

import kbe_graph as kbe
from kbe_graph.checks import FilterSettings
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo
from kbe_graph.errors import ResourceError
from kbe_graph.evolve.course import evolve
from kbe_graph.evolve.evolution import evolution_of, worker_evolution
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import write_manifest
from kbe_graph.extract import Annotations, read_annotations
from kbe_graph.extract.extraction import extract_samples
from kbe_graph.folder import create_folder
from kbe_graph.models import loop
from kbe_graph.store import Store, open_store
from kbe_graph.types import Sample
from kbe_graph.workers import WORTH, Workers, worth_starting

BATCH = 4
SETTINGS = FilterSettings()


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Some samples of the demo."""
    return list(read_benchmark(demo().samples, benchmark="demo", split="demo").samples)[: 3 * BATCH]


@pytest.fixture(scope="module")
def annotations() -> Annotations:
    """The scene graphs of the demo."""
    return read_annotations(scene_graphs=[demo().scene_graphs])


def test_no_worker_is_started_for_few_samples() -> None:
    assert worth_starting(8, WORTH - 1) == 1
    assert worth_starting(8, 3 * WORTH) == 3
    assert worth_starting(2, 100 * WORTH) == 2
    assert worth_starting(None, 0) == 1


def test_two_workers_extract_and_explore_to_what_one_process_finds(
    samples: list[Sample], annotations: Annotations, tmp_path: Path
) -> None:
    folder = create_folder(tmp_path)
    told: list[Any] = []
    with open_store(folder.hidden) as store:
        store.save_samples(samples)
        graphs = []
        for number in (1, 2):
            extract_samples(store, store.samples(), annotations, workers=number, batch=BATCH, progress=lambda *_: None)
            graphs.append(repr(store.graphs([sample.id for sample in samples])))
            store.forget_samples([sample.id for sample in samples] if number == 1 else [])
            store.save_samples(samples)
        assert graphs[0] == graphs[1]
        for run, number in (("one", 0), ("two", 2)):
            plan = replace(plan_run(RunOptions(run, hops=2), SETTINGS), batch=BATCH)
            evolution = evolution_of(store, plan, packaged_knowledge({}))
            if number:
                with closing(Workers(number, partial(worker_evolution, store.connection.place, plan, {}))) as workers:
                    loop.run(evolve(replace(evolution, workers=workers)))
            else:
                loop.run(evolve(evolution))
            told.append(
                (
                    [(each.sample, each.hop, each.text, each.key) for each in store.questions(run=run, status=None)],
                    [(each.sample, each.object, each.status, each.reason) for each in store.candidates(run=run)],
                )
            )
    assert told[0] == told[1]
    assert any(key for *_, key in told[0][0])


def test_a_worker_that_dies_is_told_of() -> None:
    died = pytest.raises(ResourceError, match=r"one of 2 worker processes died.*workers")
    with closing(Workers(2)) as workers, died:
        asyncio.run(workers.result(signal.raise_signal, signal.SIGKILL))


def test_a_run_that_another_process_makes_is_refused(embedded_store: Store, tmp_path: Path) -> None:
    folder, plan = create_folder(tmp_path), plan_run(RunOptions("r"), SETTINGS)
    refused = pytest.raises(ResourceError, match="another process is making run 'r'")
    with write_manifest(folder, embedded_store, plan), refused, write_manifest(folder, embedded_store, plan):
        pass
    with write_manifest(folder, embedded_store, plan):
        pass


@pytest.mark.ci
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_a_cluster_makes_the_questions_that_one_process_makes(tmp_path: Path) -> None:
    demo, told = kbe.demo(), []
    with kept_up(tmp_path), kbe.Workspace(tmp_path, progress=False) as work:
        work.load(demo.samples, name="demo", split="demo", images=demo.images)
        work.extract(scene_graphs=demo.scene_graphs)
        for run, ray in (("here", None), ("there", "local")):
            questions = work.evolve(run=run, hops=2, ray=ray).questions(status=None)
            told.append([(each.sample, each.hop, each.text, each.key, each.reason) for each in questions])
        with pytest.raises(ResourceError, match=r"no Ray cluster at '127\.0\.0\.1:9' \("):
            work.evolve(run="nowhere", ray="127.0.0.1:9")
        with pytest.raises(kbe.InputError, match="a cluster works only for runs by rules"):
            work.evolve(run="asked", ray="local", model="m")
    assert told[0] == told[1]
    assert any(text for _, _, text, *_ in told[0])
