"""Extraction and exploration by several processes give the same, whatever their number."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from multiprocessing import get_all_start_methods
from pathlib import Path

import pytest

from kbe_graph.checks import FilterSettings
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.errors import ResourceError
from kbe_graph.evolve.driver import Driver
from kbe_graph.evolve.extract_samples import ExtractFromAnnotations, Outcome, extract_samples, extraction_from
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.offline import offline_evolution, offline_plan, worker_evolution
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.execute.clients import Clients
from kbe_graph.execute.executor import Executor
from kbe_graph.execute.parts import Parts
from kbe_graph.execute.workers import FORKED, WORTH, WorkerProcesses, worth_starting
from kbe_graph.extract import Annotations, read_annotations
from kbe_graph.folder import create_folder
from kbe_graph.models import loop
from kbe_graph.store import open_store
from kbe_graph.store.stored_parts import work_of_run
from kbe_graph.types import Sample

BATCH = 4
RUNS = ("one", "two", "shared")  # explored by one process, by two workers, and by two on parts that clients share
SETTINGS = FilterSettings()


class SmallBatches(ExtractFromAnnotations):
    """Extraction of all that is asked for, whatever a graph holds."""

    size = BATCH

    def __init__(self, annotations: Annotations) -> None:
        super().__init__(None, annotations, extraction_from(annotations))  # type: ignore[arg-type]  # no graph is asked

    def missing(self, items: Sequence[Sample]) -> Sequence[Sample]:
        return items


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Some samples of the demo."""
    return list(read_benchmark(demo_files().samples, benchmark="demo", split="demo").samples)[: 3 * BATCH]


@pytest.fixture(scope="module")
def annotations() -> Annotations:
    """The scene graphs of the demo."""
    return read_annotations(scene_graphs=[demo_files().scene_graphs])


def test_two_workers_give_what_one_process_gives_in_the_same_order(
    samples: list[Sample], annotations: Annotations
) -> None:
    alone, together = asyncio.run(extracted(Executor(), samples, annotations)), list[Outcome]()
    with closing(WorkerProcesses(2)) as workers:
        together = asyncio.run(extracted(workers, samples, annotations))
    assert repr(alone) == repr(together)
    assert [sample for sample, _ in together] == samples


async def extracted(executor: Executor, samples: list[Sample], annotations: Annotations) -> list[Outcome]:
    """Extract samples, small batches at a time."""
    outcomes: list[Outcome] = []

    async def take(batch: list[Outcome]) -> None:
        assert len(batch) == BATCH
        outcomes.extend(batch)

    await executor.map(SmallBatches(annotations), samples, take)
    return outcomes


def test_a_worker_looks_for_cycles_in_what_it_makes_but_not_in_what_was_imported_before_it_was_forked() -> None:
    if FORKED not in get_all_start_methods():
        pytest.skip("this system forks no workers")
    with closing(WorkerProcesses(1)) as workers:
        told = {ask: asyncio.run(workers.result(ask)) for ask in (gc.isenabled, gc.get_threshold, gc.get_freeze_count)}
    assert told[gc.isenabled]
    assert told[gc.get_threshold] == gc.get_threshold()
    assert told[gc.get_freeze_count] > 10_000


def test_workers_that_are_no_longer_wanted_do_not_finish_what_they_are_at() -> None:
    begin = time.monotonic()

    async def ask() -> None:
        """Wait for the first of many results alone."""
        with closing(WorkerProcesses(2)) as workers:
            results = [asyncio.ensure_future(workers.result(time.sleep, seconds)) for seconds in (0, *[600] * 9)]
            assert await results[0] is None

    asyncio.run(ask())
    assert time.monotonic() - begin < 120


def test_a_part_of_the_annotations_says_of_its_samples_what_all_say(
    samples: list[Sample], annotations: Annotations
) -> None:
    part = annotations.part(samples[:BATCH])
    assert [part.of(sample) for sample in samples[:BATCH]] == [annotations.of(sample) for sample in samples[:BATCH]]
    assert len(part.views) < len(annotations.views)


def test_no_worker_is_started_for_few_samples() -> None:
    assert worth_starting(8, WORTH - 1) == 1
    assert worth_starting(8, 3 * WORTH) == 3
    assert worth_starting(2, 100 * WORTH) == 2
    assert worth_starting(None, 0) == 1


def test_two_workers_explore_to_what_one_process_finds(
    samples: list[Sample], annotations: Annotations, tmp_path: Path
) -> None:
    folder = create_folder(tmp_path)
    with open_store(folder.hidden) as store:
        store.save_samples(samples)
        extract_samples(store, store.samples(), annotations, progress=lambda *_: None)
        plans = {name: replace(offline_plan(RunOptions(name, hops=2), SETTINGS), batch=BATCH) for name in RUNS}
        evolution = offline_evolution(store, plans["one"], SETTINGS, packaged_knowledge(folder))
        loop.run(Driver(evolution, Executor()).evolve())
        for name in ("two", "shared"):
            make = partial(worker_evolution, folder, store, plans[name], SETTINGS)
            with closing(WorkerProcesses(2, make)) as workers, Parts(store, work_of_run(name), lease=60) as parts:
                executor = Clients(parts, workers, store) if name == "shared" else workers
                loop.run(Driver(replace(evolution, plan=plans[name]), executor).evolve())
        alone, together, shared_out = (
            [
                repr((question.sample, question.hop, question.text, question.key, question.reason))
                for question in store.questions(run=name, status=None)
            ]
            for name in plans
        )
        considered = [
            [(each.sample, each.relation, each.object, each.status, each.reason) for each in store.candidates(run=name)]
            for name in plans
        ]
    assert alone == together == shared_out
    assert considered[0] == considered[1] == considered[2]
    assert any("'depicts'" in question for question in alone)


def test_a_worker_that_dies_is_told_of() -> None:
    died = pytest.raises(ResourceError, match=r"one of 2 worker processes died.*workers=")
    with closing(WorkerProcesses(2)) as workers, died:
        asyncio.run(workers.result(signal.raise_signal, signal.SIGKILL))


def test_workers_know_the_variables_that_are_set_now(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(WorkerProcesses(1)) as workers:
        asyncio.run(workers.result(os.getpid))
    monkeypatch.setenv("KBE_TRIED", "now")
    with closing(WorkerProcesses(1)) as workers:
        assert asyncio.run(workers.result(os.getenv, "KBE_TRIED")) == "now"


def test_workers_end_with_a_command_that_is_killed() -> None:
    code = (
        "import asyncio, os, time\nfrom kbe_graph.execute.workers import WorkerProcesses\n"
        "if __name__ == '__main__':\n"
        "    workers = WorkerProcesses(2)\n"
        "    print(asyncio.run(workers.result(os.getpid)), flush=True)\n"
        "    asyncio.run(workers.result(time.sleep, 100))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        own = {int(pid) for pid in command.stdout.readline().split()}
        command.kill()
    end = time.monotonic() + 60
    while (left := {pid for pid in own if is_up(pid)}) and time.monotonic() < end:
        time.sleep(0.1)
    assert own
    assert not left


def is_up(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
