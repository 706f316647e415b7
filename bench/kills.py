"""Kills at random moments, over every command that writes: the same bytes come out, and nothing is left behind.

    python bench/kills.py [--kills 200] [--seed 0] [--samples 57] [--each 3] [--to-export]

The demo, its samples over and over where more are wanted, is loaded, extracted, evolved, exported, backed up and
restored in workspaces of its own, while the command, its engine or both are killed (SIGKILL) at random moments, each
command ``--each`` times; after each kill the same command is run again. ``--to-export`` leaves backing up and restoring
out. Where NEO4J_URI is set, all is done on that server, whose graph is emptied before each round and at the end. In
every second round the engine stays warm for the next command. At the end of a round the export and the lines of the
backups must be those of a round that was left alone, no process may be up, and no file may lie beside the ones that
were asked for. Prints one line of JSON, with the seconds of each command left alone; exit code 1 where something
differs.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scale import empty_server, write_samples

from kbe_graph import demo
from kbe_graph.config import WARM
from kbe_graph.store.backup_check import packed_lines, verify

KBE = Path(sys.executable).with_name("kbe")
LIMIT = 7200.0
SECONDS = "3"  # that a warm engine waits


class Step(NamedTuple):
    """A command: the workspace it works on, and its arguments."""

    workspace: str
    arguments: tuple[object, ...]


def steps(samples: Path) -> tuple[Step, ...]:
    """Return the commands of a round over a file of samples, in their order."""
    files = demo()
    return (
        Step("W", ("load", samples, "--name", "demo", "--split", "demo", "--images", files.images)),
        Step("W", ("extract", "--scene-graphs", files.scene_graphs)),
        Step("W", ("evolve", "--hops", 2, "--seed", 0, "--run", "r")),
        Step("W", ("export", "jsonl", "out.jsonl", "--all")),
        Step("W", ("db", "backup", "graph.kbe")),
        Step("R", ("db", "restore", "graph.kbe", "--replace")),
        Step("R", ("db", "backup", "again.kbe")),
    )


def play(
    folder: Path, todo: Sequence[Step], seconds: dict[Step, float], draw: random.Random, *, each: int = 0
) -> Iterator[str]:
    """Do the commands in a folder, and give what each kill hit; the last one comes after the seconds of the command.

    Each is killed ``each`` times; with none, the seconds are noted.
    """
    empty_server()
    for workspace in "WR":
        _run(folder, workspace, ("init",))
    for step in todo:
        for _ in range(each):
            yield _killed(folder, step, draw, seconds[step])
        begin = time.monotonic()
        _run(folder, step.workspace, step.arguments)
        seconds.setdefault(step, time.monotonic() - begin)


def _start(folder: Path, workspace: str, arguments: tuple[object, ...]) -> "subprocess.Popen[bytes]":
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            [str(KBE), "-w", workspace, *map(str, arguments)], cwd=folder, stdout=said, stderr=said, env=_environ()
        )


def _environ() -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KBE_")}
    return plain | {WARM: os.environ.get(WARM, "0")}


def _run(folder: Path, workspace: str, arguments: tuple[object, ...]) -> None:
    code = _start(folder, workspace, arguments).wait(LIMIT)
    if code:
        raise SystemExit(f"{arguments} ended with {code}: {(folder / 'said').read_text()[-2000:]}")


def _killed(folder: Path, step: Step, draw: random.Random, longest: float) -> str:
    """Start a command and kill it, its engine or both; return what was hit: on a server the client alone."""
    target = draw.choice(("client", "engine", "both"))
    command = _start(folder, step.workspace, step.arguments)
    with suppress(subprocess.TimeoutExpired):
        command.wait(longest * draw.random())
        return "ended before"
    engine = _engine(folder / step.workspace)
    if not engine:
        target = "client"
    elif target != "client":
        with suppress(ProcessLookupError):
            os.kill(engine, signal.SIGKILL)
    if target != "engine":
        command.kill()
    command.wait(LIMIT)
    return f"{step.arguments[0]} {target}"


def _engine(workspace: Path) -> int | None:
    """Return the process of a workspace's engine."""
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads((workspace / ".kbe" / "engine.json").read_text(encoding="utf-8"))["pid"])
    return None


def _left(folder: Path) -> list[str]:
    """Return the files that nobody asked for, and the processes that are still up."""
    asked = {"W", "R", "said", "out.jsonl", "graph.kbe", "again.kbe"}
    end = time.monotonic() + 10
    while (processes := _processes(folder)) and time.monotonic() < end:
        time.sleep(0.1)
    return [path.name for path in folder.iterdir() if path.name not in asked] + processes


def _processes(folder: Path) -> list[str]:
    """Return the processes that work in a folder: engines, commands and their workers (Linux alone tells of them)."""
    processes = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(folder):
                processes.append((process / "cmdline").read_text().replace("\0", " "))
    return processes


def main() -> None:
    """Play rounds until there were enough kills, and compare them with one that was left alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=57)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--to-export", action="store_true")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    hits: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as top:
        alone = Path(top) / "alone"
        alone.mkdir()
        samples = Path(top) / "samples.jsonl"
        write_samples(samples, arguments.samples)
        todo = [step for step in steps(samples) if not (arguments.to_export and step.arguments[0] == "db")]
        names = ("out.jsonl",) if arguments.to_export else ("out.jsonl", "graph.kbe", "again.kbe")
        seconds: dict[Step, float] = {}
        list(play(alone, todo, seconds, draw))
        rounds = 0
        while sum(hits.values()) < arguments.kills:
            rounds += 1
            os.environ[WARM] = SECONDS if rounds % 2 else "0"
            folder = Path(top) / f"round{rounds}"
            folder.mkdir()
            hit = play(folder, todo, seconds, draw, each=arguments.each)
            hits.update(each for each in hit if each != "ended before")
            wrong += [f"round {rounds}: {name}" for name in names if not _same(alone / name, folder / name)]
            wrong += [f"round {rounds}: left {name}" for name in _left(folder)]
            wrong += ["a traceback"] * ("Traceback" in (folder / "said").read_text(errors="replace"))
    empty_server()
    alone_took = [f"{step.arguments[0]} {took:.1f}" for step, took in seconds.items()]
    counts = {"samples": arguments.samples, "kills": sum(hits.values()), "rounds": rounds, "hits": hits}
    print(json.dumps(counts | {"seconds left alone": alone_took, "wrong": wrong}))
    sys.exit(bool(wrong))


def _same(file: Path, other: Path) -> bool:
    return other.exists() and _content(file) == _content(other)


def _content(file: Path) -> bytes | list[bytes]:
    """Return the bytes of a file; of a backup its lines in order, as they come as the engine has stored them."""
    if file.suffix != ".kbe":
        return file.read_bytes()
    verify(file)
    *lines, _ = packed_lines(file)
    return sorted(lines)


if __name__ == "__main__":
    main()
