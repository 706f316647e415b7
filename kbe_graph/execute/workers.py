"""Worker processes for several cores, each handling one batch at a time.

Workers are forked from a process that has only imported their modules, so that these are imported once; on systems
without such a process, each is spawned.
"""

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, NamedTuple, ParamSpec, TypeVar

from kbe_graph.errors import ResourceError
from kbe_graph.execute.executor import BatchWork, Executor, Item, Result, Stage
from kbe_graph.models.loop import new_runner
from kbe_graph.types import Progress

FORKED = "forkserver"
IMPORTED = "kbe_graph.evolve.preloaded"
WORTH = 500  # samples that justify the seconds needed to start a worker
AHEAD = 2  # batches queued per worker
T = TypeVar("T")
P = ParamSpec("P")


class _Own(NamedTuple):
    """Value that this worker process's stages use, and its single event loop."""

    made: Any
    runner: asyncio.Runner


_own: list[_Own] = []


def worth_starting(workers: int | None, samples: int) -> int:
    """Calculate how many workers to start for ``samples`` samples: at most ``workers``, or one per core."""
    return max(1, min(workers or os.cpu_count() or 1, samples // WORTH))


class WorkerProcesses(Executor):
    """Executor that runs batches in ``number`` processes, and passes on their results in order.

    ``make`` builds, at the start of each process, the value that its stages use; a stage's ``call`` is sent to the
    process.
    """

    def __init__(
        self, number: int, make: Callable[[], object] | None = None, progress: Progress = lambda *_: None
    ) -> None:
        super().__init__(progress)
        self.number = number
        self._pool = ProcessPoolExecutor(
            number, mp_context=_context(), initializer=_start, initargs=(gc.get_threshold(), dict(os.environ), make)
        )

    async def result(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Run a function in one of the processes; raises ResourceError if a process dies."""
        try:
            return await asyncio.wrap_future(self._pool.submit(work, *given, **named))
        except BrokenProcessPool:
            raise ResourceError(
                f"one of {self.number} worker processes died, perhaps because memory ran out; set a lower `workers`"
            ) from None

    def lanes(self, _stage: Stage[Any, Any, Any]) -> int:
        """Calculate the number of batches in progress or queued at once."""
        return AHEAD * self.number + 1

    def work(self, stage: Stage[Item, Any, Result]) -> BatchWork[Item, Result]:
        """Get the work on each batch of the stage: a process begins and finishes it."""

        async def begin(batch: Sequence[Item]) -> Result:
            return await self.result(stage.call(batch))

        async def finish(result: Result) -> Result:
            return result

        return BatchWork(begin, finish)

    def close(self) -> None:
        """Terminate the processes and discard their work, for which nobody is waiting."""
        for worker in list(self._pool._processes.values()):  # noqa: SLF001  # Python 3.14: terminate_workers
            worker.terminate()
        self._pool.shutdown(cancel_futures=True)


def run_stage(stage_of: Callable[[Any], Stage[Item, Any, Result]], batch: Sequence[Item]) -> Result:
    """Run a batch in a worker process; ``stage_of`` builds the stage from the process's value of ``make``."""
    made, runner = _own[0]

    async def run() -> Result:
        stage = stage_of(made)
        return await stage.finish(await stage.begin(batch))

    return runner.run(run())


def get_ready() -> None:
    """Start the process from which workers are forked, so that it imports modules in parallel."""
    if _context().get_start_method() == FORKED:
        from multiprocessing import forkserver

        forkserver.ensure_running()


def _context() -> BaseContext:
    if FORKED not in get_all_start_methods():
        return get_context("spawn")
    context = get_context(FORKED)
    context.set_forkserver_preload([IMPORTED])
    return context


def _start(threshold: tuple[int, int, int], environ: dict[str, str], make: Callable[[], object] | None) -> None:
    gc.set_threshold(*threshold)
    gc.enable()
    os.environ.clear()  # it may have changed since the fork server started
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl+C
    Thread(target=_end_with_parent, name="kbe-parent", daemon=True).start()
    _own.append(_Own(make() if make else None, new_runner()))


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
