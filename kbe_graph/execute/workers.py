"""Work on several cores: each worker is a process of its own, which works off a batch at a time.

Workers are forked from a process that has imported their modules and has done nothing else, so that these are imported
once; where the system has no such process, each is spawned.
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
WORTH = 500  # samples that are worth the seconds in which a worker starts
AHEAD = 2  # batches that wait for each worker
T = TypeVar("T")
P = ParamSpec("P")


class _Own(NamedTuple):
    """The value that the stages of this worker process work with, and its one event loop."""

    made: Any
    runner: asyncio.Runner


_own: list[_Own] = []


def worth_starting(workers: int | None, samples: int) -> int:
    """Return the number of workers for so many samples: as asked for, or one a core."""
    return max(1, min(workers or os.cpu_count() or 1, samples // WORTH))


class WorkerProcesses(Executor):
    """Runs batches in so many processes, and takes their results in the order of the batches.

    ``make`` gives each process, as it starts, the value that its stages work with; a stage's ``call`` is sent to it.
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
        """Return the result of a function in one of the processes; raises ResourceError where one dies."""
        try:
            return await asyncio.wrap_future(self._pool.submit(work, *given, **named))
        except BrokenProcessPool:
            raise ResourceError(
                f"one of {self.number} worker processes died, perhaps because memory ran out; set a lower `workers=...`"
            ) from None

    def lanes(self, _stage: Stage[Any, Any, Any]) -> int:
        """Return the number of batches in work or waiting at once."""
        return AHEAD * self.number + 1

    def work(self, stage: Stage[Item, Any, Result]) -> BatchWork[Item, Result]:
        """Return the work on each batch of the stage: a process begins and finishes it."""

        async def begin(batch: Sequence[Item]) -> Result:
            """Have a process do all the work on a batch."""
            return await self.result(stage.call(batch))

        async def finish(result: Result) -> Result:
            """Do nothing more."""
            return result

        return BatchWork(begin, finish)

    def close(self) -> None:
        """End the processes; their work is dropped, as nobody waits for it any more."""
        for worker in list(self._pool._processes.values()):  # noqa: SLF001  # Python 3.14 has a name for it: terminate_workers
            worker.terminate()
        self._pool.shutdown(cancel_futures=True)


def run_stage(stage_of: Callable[[Any], Stage[Item, Any, Result]], batch: Sequence[Item]) -> Result:
    """Run a batch in a worker process; ``stage_of`` makes the stage from the value that ``make`` gave the process."""
    made, runner = _own[0]

    async def run() -> Result:
        """Begin the batch and finish it."""
        stage = stage_of(made)
        return await stage.finish(await stage.begin(batch))

    return runner.run(run())


def get_ready() -> None:
    """Start the process that workers are forked from, so that it imports while this one does something else."""
    if _context().get_start_method() == FORKED:
        from multiprocessing import forkserver

        forkserver.ensure_running()


def _context() -> BaseContext:
    """Return the way to start a worker."""
    if FORKED not in get_all_start_methods():
        return get_context("spawn")
    context = get_context(FORKED)
    context.set_forkserver_preload([IMPORTED])
    return context


def _start(threshold: tuple[int, int, int], environ: dict[str, str], make: Callable[[], object] | None) -> None:
    gc.set_threshold(*threshold)
    gc.enable()
    os.environ.clear()  # it may have changed since the process was started that this one is forked from
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is left to the process that started this one
    Thread(target=_end_with_parent, name="kbe-parent", daemon=True).start()
    _own.append(_Own(make() if make else None, new_runner()))


def _end_with_parent() -> None:
    """End this process where the one that started it was killed."""
    if parent := parent_process():
        parent.join()
        os._exit(1)
