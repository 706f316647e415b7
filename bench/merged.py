"""Many samples through mode ``merged``: wall time, calls, requests a second, memory, and whether the graph is complete.

    python bench/merged.py [--samples 10000] [--hops 3] [--spread 0]

Makes a benchmark of so many questions on ``PICTURES`` small JPEGs, and runs ``kbe extract --by model`` and ``kbe
evolve --mode merged`` on the embedded engine against the scripted endpoint (``scripted.py``), which is this process,
so another than kbe's; an answer takes it up to ``--spread`` seconds, half of that in the mean. Memory is what kbe's
processes hold (the engine is none of them), pages that they share counted once, read every second, and told at each
tenth of the calls of a command and at its end; requests a second are
those of the whole command, its reading and writing of the graph included; CPU is that of kbe's processes, of the
endpoint and of the engine, and ``bound`` the requests a second that so much of the processor allows on two cores that
do nothing else. Prints one line of JSON; ``asked twice`` counts bodies that came more than once (retries). Fails where
the graph is not complete: a sample neither extracted nor dropped, or one without a question that is kept, or dropped
with a reason.
"""

import argparse
import json
import os
import random
import resource
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from PIL import Image
from scripted import LoopbackServer, Script, engine, kbe, nouns, serving, started, status

from kbe_graph.folder import HIDDEN
from kbe_graph.store.engine import running

PICTURES = 20
SIDE = 96
LOOKED = 1.0  # seconds between looks at the processes, which cost the endpoint time
CORES = 2
PLACES = ("beside the door", "in front", "on the left", "on the right", "in the middle", "near the wall", "at the back")


class Look(NamedTuple):
    """The memory of kbe's processes when so many calls had been answered, and the seconds that each had computed."""

    calls: int
    megabytes: int
    seconds: Mapping[int, float]


def benchmark(folder: Path, samples: int) -> Path:
    """Write the pictures and the questions, drawn alike each time, and return the file."""
    draw = random.Random(0)
    for number in range(PICTURES):
        picture = Image.effect_noise((SIDE, SIDE), 40 + number).convert("RGB")
        picture.save(folder / f"{number}.jpg")
    things = nouns()
    with (folder / "many.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(samples):
            question = f"What is seen {draw.choice(PLACES)} of the {draw.choice(things)}?"
            image = number % PICTURES
            row = {"id": f"{number:06}", "image": f"{image}.jpg", "image_id": image, "question": question}
            stream.write(json.dumps(row | {"answer": (answer := draw.choice(things)), "answers": [answer]}) + "\n")
    return folder / "many.jsonl"


def seen(process: psutil.Process, calls: int) -> Look:
    """Return what a process and those that it started hold and have computed."""
    memory, seconds = 0, {}
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            memory += proportional(each.pid)
            seconds[each.pid] = each.cpu_times().user + each.cpu_times().system
    return Look(calls, memory >> 10, seconds)


def proportional(pid: int) -> int:
    """Return the kilobytes that a process holds, its part of what it shares; 0 where it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


@contextmanager
def watched(pid: int, server: LoopbackServer) -> Iterator[list[Look]]:
    """Give what was seen of a process's memory, filled while it runs."""
    looks: list[Look] = []
    over = threading.Event()

    def watch() -> None:
        process = psutil.Process(pid)
        while not over.wait(LOOKED):
            with suppress(psutil.Error):
                looks.append(seen(process, server.statuses.total()))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield looks
    finally:
        over.set()
        thread.join()


def measured(folder: Path, server: LoopbackServer, *command: object) -> dict[str, Any]:
    """Run a command and return its seconds, its calls and its memory."""
    before, begin, cpu = server.statuses.total(), time.perf_counter(), processors(folder)
    process = started(folder, *command)
    with watched(process.pid, server) as looks:
        code = process.wait()
    seconds, calls = time.perf_counter() - begin, server.statuses.total() - before
    used = processors(folder)
    used["kbe"] += sum(others(looks, process.pid).values())
    milliseconds = {name: round(1000 * (seconds - cpu[name]) / max(calls, 1), 2) for name, seconds in used.items()}
    if code:
        raise SystemExit(f"{command[0]} ended with {code}")
    return {
        "seconds": round(seconds, 1),
        "calls": calls,
        "requests/s": round(calls / seconds, 1),
        "CPU ms a call": milliseconds,
        "bound": round(CORES * 1000 / sum(milliseconds.values())),
        "peak MB": max(look.megabytes for look in looks),
        "MB at tenths of the calls": tenths(looks, before, calls),
    }


def others(looks: list[Look], own: int) -> dict[int, float]:
    """Return the seconds that the processes of a command's own had computed when they were last seen."""
    return {pid: seconds for each in looks for pid, seconds in each.seconds.items() if pid != own}


def processors(folder: Path) -> dict[str, float]:
    """Return the seconds of processor taken so far by commands that ended, this process, and the engine."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = running(folder / HIDDEN)
    fields = Path(f"/proc/{record.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split() if record else []
    ticks = sum(map(int, fields[11:13]))
    return {
        "kbe": ended.ru_utime + ended.ru_stime,
        "endpoint": time.process_time(),
        "engine": ticks / os.sysconf("SC_CLK_TCK"),
    }


def tenths(looks: list[Look], before: int, calls: int) -> list[int]:
    """Return the memory when each tenth of the calls had been answered, then at the end."""
    wanted = [before + calls * tenth // 10 for tenth in range(1, 11)]
    memory = [next((look.megabytes for look in looks if look.calls >= most), looks[-1].megabytes) for most in wanted]
    return [*memory, looks[-1].megabytes]


def complete(state: dict[str, Any], samples: int) -> dict[str, Any]:
    """Return the counts of a run's status; exits where a sample, or the question made of it, is unaccounted for."""
    questions = state["runs"]["many"]["questions"]
    made = sum(decided(counts) for row, counts in questions.items() if row != "hop 0")
    done = {"samples": decided(state["samples"]), "questions": made}
    if done != {"samples": samples, "questions": state["samples"].get("extracted", 0)}:
        raise SystemExit(f"not complete: {done} of {samples}, {state}")
    return {"samples": state["samples"], "questions": questions}


def decided(counts: dict[str, Any]) -> int:
    """Return how many are done: kept or extracted, or dropped with a reason."""
    return sum(counts.get(name, 0) for name in ("kept", "extracted")) + sum(
        counts.get("dropped by reason", {}).values()
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--spread", type=float, default=0.0)
    arguments = parser.parse_args()
    script = Script(arguments.spread)
    with tempfile.TemporaryDirectory() as name, serving(script) as server:
        folder = Path(name)
        kbe(folder, "init")
        file = benchmark(folder, arguments.samples)
        model = ("--mode", "merged", "--base-url", server.url, "--model", "scripted")
        with engine(folder):
            kbe(folder, "load", file, "--split", "bench", "--images", folder)
            extract = measured(folder, server, "extract", "--by", "model", *model)
            run = ("--hops", arguments.hops, "--run", "many")
            evolve = measured(folder, server, "evolve", *model, *run)
            graph = complete(status(folder, "many"), arguments.samples)
            twice = script.total - len(script.bodies)
    print(
        json.dumps(
            {
                "samples": arguments.samples,
                "spread": arguments.spread,
                "extract": extract,
                "evolve": evolve,
                "asked twice": twice,
                "graph": graph,
            }
        )
    )


if __name__ == "__main__":
    main()
