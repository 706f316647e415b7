"""What commands cost that run at once: seconds of the clock and of the processor, and memory, the engine's apart.

Workers are no children of their command but of a process that it starts; on Linux they are counted all the same,
because what is left over by a command is waited for here.
"""

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.store.engine import running

TICKS = os.sysconf("SC_CLK_TCK")
ADOPT = 36  # PR_SET_CHILD_SUBREAPER


class Cost(NamedTuple):
    """Seconds; processor seconds of the commands and of the engine; MB of the largest process so far and the engine."""

    seconds: float
    processor: float
    engine: float
    memory: int
    engine_memory: int


class Engine(NamedTuple):
    """The engine of a folder: its process, its processor seconds so far and the most memory it has had, in MB."""

    pid: int = 0
    processor: float = 0.0
    memory: int = 0


def cost_of(
    commands: Sequence[Sequence[object]],
    folder: Path,
    environ: Mapping[str, str] | None = None,
    *,
    tolerant: bool = False,
) -> Cost:
    """Run commands at once and return what they cost, with the embedded engine of a workspace where it stays warm.

    Raises SystemExit where one fails, unless that is tolerated.
    """
    _adopt()
    engine, before, begin = engine_of(folder), resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    processes = [
        subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, env=environ) for command in commands
    ]
    codes = [process.wait() for process in processes]
    seconds = time.perf_counter() - begin
    if any(codes) and not tolerant:
        raise SystemExit(f"{commands} failed")
    _wait_for_orphans()
    after, now = resource.getrusage(resource.RUSAGE_CHILDREN), engine_of(folder)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    theirs = now.processor - (engine.processor if engine.pid == now.pid else 0.0)
    return Cost(round(seconds, 1), round(own, 1), round(theirs, 1), after.ru_maxrss // 1024, now.memory)


def engine_of(folder: Path) -> Engine:
    record = running(folder / ".kbe")
    if record is None or not Path(f"/proc/{record.pid}/stat").exists() or not record.pid:
        return Engine()
    process = Path(f"/proc/{record.pid}")
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    peak = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmHWM"))
    return Engine(record.pid, (int(fields[11]) + int(fields[12])) / TICKS, int(peak.split()[1]) // 1024)


def _adopt() -> None:
    """Become the parent of what a child leaves over, where the system knows of that."""
    if Path("/proc").exists():
        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)


def _wait_for_orphans() -> None:
    """Wait for the workers that commands left over, and for what they made them from; engines and servers stay."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists() and any(_is_worker(pid) for pid in children.read_text().split()):
        time.sleep(0.05)
        for pid in children.read_text().split():
            if _is_worker(pid):
                os.waitpid(int(pid), os.WNOHANG)


def _is_worker(pid: str) -> bool:
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    return not command or b"multiprocessing" in command  # one that has ended has no command any more
