"""Worker processes for long work: on this machine, or on the processors of a Ray cluster.

Local workers are forked from a process that has only imported their modules, so that these are imported once; on
systems without such a process, each is spawned.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, TypeVar

from kbe_graph.errors import ResourceError
from kbe_graph.extras import require_extra

IMPORTED = ["kbe_graph.evolve.runs", "kbe_graph.extract.extraction", "spacy"]
WORTH = 500  # samples that justify the seconds needed to start a worker
PATIENCE = 5.0  # seconds for a cluster to accept a connection
T = TypeVar("T")
Make = Callable[[], object]

_made: list[Any] = []  # what ``make`` gave in this worker process


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
            given = (dict(os.environ), make)
            self._pool = ProcessPoolExecutor(number, mp_context=_context(), initializer=_start, initargs=given)
        self.number = number

    @property
    def ahead(self) -> int:
        """The number of batches to begin while one is finished: two per worker."""
        return 2 * self.number

    async def result(self, work: Callable[..., T], *given: Any) -> T:
        """Run a function in one of the processes; raises ResourceError if a process dies."""
        try:
            return await asyncio.wrap_future(self._pool.submit(work, *given))
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
        self._ray: Any = import_module("ray")
        try:
            host, _, port = address.rpartition(":")
            if host and port.isdecimal() and "/" not in host:
                socket.create_connection((host, int(port)), PATIENCE).close()  # Ray itself retries for many minutes
            self._ray.init(address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        except (OSError, ValueError) as error:
            raise ResourceError(
                f"no Ray cluster at {address!r} ({error}); start one there with 'ray start --head', set "
                "RAY_AUTH_MODE=token if it requires a token, or give 'local' for the processors of this machine"
            ) from None
        environ = {name: value for name, value in os.environ.items() if name.startswith("KBE_")}
        self.number = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        pool: Any = import_module("ray.util.multiprocessing")
        self._pool = pool.Pool(self.number, initializer=_make, initargs=(environ, make))

    def submit(self, work: Callable[..., T], *given: Any) -> "Future[T]":
        """Run a function on the cluster."""
        future: Future[T] = Future()

        def fail(error: Exception) -> None:
            dead = isinstance(error, self._ray.exceptions.RayActorError)
            future.set_exception(BrokenProcessPool(str(error)) if dead else error)

        self._pool.apply_async(work, given, callback=future.set_result, error_callback=fail)
        return future

    def close(self) -> None:
        """Terminate the workers and leave the cluster."""
        self._pool.terminate()
        self._ray.shutdown()


def made() -> Any:
    """Return the value of this worker process."""
    return _made[0]


def _context() -> BaseContext:
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context


def _start(environ: dict[str, str], make: Make | None) -> None:
    os.environ.clear()  # it may have changed since the fork server started
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl+C
    Thread(target=_end_with_parent, name="kbe-parent", daemon=True).start()
    _make(environ, make)


def _make(environ: dict[str, str], make: Make | None) -> None:
    os.environ.update(environ)
    _made.append(make() if make else None)


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
