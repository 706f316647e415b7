"""Batches of long work, and the worker processes that do them.

Local workers are forked from a process that has only imported their modules, so that these are imported once; on
systems without such a process, each is spawned. On a Ray cluster there is one worker per processor.
"""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from kbe_graph.errors import ResourceError
from kbe_graph.extras import require_extra

FORKED = "forkserver"
IMPORTED = "kbe_graph.evolve.preloaded"
WORTH = 500  # samples that justify the seconds needed to start a worker
PATIENCE = 5.0  # seconds for a cluster to accept a connection
PASSED_ON = "KBE_"  # prefix of the variables that workers of a cluster need
T = TypeVar("T")
P = ParamSpec("P")
Make = Callable[[], object]

_made: list[Any] = []  # what ``make`` gave in this worker process


def batches(items: Sequence[T], size: int) -> Iterator[tuple[int, Sequence[T]]]:
    """Yield the items in batches of ``size``, each with the running total of items."""
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        yield start + len(batch), batch


def worth_starting(workers: int | None, samples: int) -> int:
    """Calculate how many workers to start for ``samples`` samples: at most ``workers``, or one per core."""
    return max(1, min(workers or os.cpu_count() or 1, samples // WORTH))


class Workers:
    """Pool of ``number`` processes; with ``ray``, of the processors of a cluster (an address, or ``local``).

    ``make`` builds, at the start of each process, the value that ``made`` returns there.
    """

    def __init__(self, number: int, make: Make | None = None, *, ray: str | None = None) -> None:
        self._pool: _RayPool | ProcessPoolExecutor
        if ray:
            self._pool = _RayPool(ray, make)
            number = self._pool.number
        else:
            given = (gc.get_threshold(), dict(os.environ), make)
            self._pool = ProcessPoolExecutor(number, mp_context=_context(), initializer=_start, initargs=given)
        self.number = number

    @property
    def ahead(self) -> int:
        """The number of batches to begin while one is finished: two per worker."""
        return 2 * self.number

    async def result(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Run a function in one of the processes; raises ResourceError if a process dies."""
        try:
            return await asyncio.wrap_future(self._pool.submit(work, *given, **named))
        except BrokenProcessPool:
            raise ResourceError(
                f"one of {self.number} worker processes died, perhaps because memory ran out; set a lower `workers`"
            ) from None

    def close(self) -> None:
        """Terminate the processes and discard their work, for which nobody is waiting."""
        if isinstance(self._pool, ProcessPoolExecutor):
            for worker in list(self._pool._processes.values()):  # noqa: SLF001  # Python 3.14: terminate_workers
                worker.terminate()
            self._pool.shutdown(cancel_futures=True)
        else:
            self._pool.close()


class _RayPool:
    """Pool of a Ray cluster, with the interface of the local one."""

    def __init__(self, address: str, make: Make | None) -> None:
        require_extra("ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray: Any = import_module("ray")
        pool: Any = import_module("ray.util.multiprocessing")

        try:
            host, _, port = address.rpartition(":")
            if host and port.isdecimal() and "/" not in host:
                socket.create_connection((host, int(port)), PATIENCE).close()  # Ray itself retries for many minutes
            ray.init(address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        except (OSError, ValueError) as error:
            raise ResourceError(
                f"no Ray cluster at {address!r} ({error}); start one there with 'ray start --head', set "
                "RAY_AUTH_MODE=token if it requires a token, or give 'local' for the processors of this machine"
            ) from None
        environ = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
        self.number = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._ray, self._pool = ray, pool.Pool(self.number, initializer=_start_on_cluster, initargs=(environ, make))

    def submit(self, work: Callable[..., T], *given: Any, **named: Any) -> "Future[T]":
        """Run a function in one of the workers."""
        future: Future[T] = Future()

        def fail(error: BaseException) -> None:
            dead = isinstance(error, self._ray.exceptions.RayActorError)
            future.set_exception(BrokenProcessPool(str(error)) if dead else error)

        self._pool.apply_async(work, given, named, callback=future.set_result, error_callback=fail)
        return future

    def close(self) -> None:
        """Terminate the workers and leave the cluster."""
        self._pool.terminate()
        self._ray.shutdown()


def made() -> Any:
    """Return the value of this worker process."""
    return _made[0]


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


def _start(threshold: tuple[int, int, int], environ: dict[str, str], make: Make | None) -> None:
    gc.set_threshold(*threshold)
    gc.enable()
    os.environ.clear()  # it may have changed since the fork server started
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl+C
    Thread(target=_end_with_parent, name="kbe-parent", daemon=True).start()
    _made.append(make() if make else None)


def _start_on_cluster(environ: dict[str, str], make: Make | None) -> None:
    os.environ.update(environ)
    _made.append(make() if make else None)


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
