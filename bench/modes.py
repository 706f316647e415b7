"""Calls and tokens a question in both modes; what a second run asks; what a killed run pays twice.

    python bench/modes.py [--samples 50] [--hops 3] [--only merged] [--blind off] [--unbroken]
        [--verify]

Takes the first samples of the packaged demo, with their photos, through ``kbe extract --by model`` and ``kbe evolve
--mode`` on the embedded engine against the scripted endpoint (``scripted.py``, which says how it counts tokens).
Then:
- both commands again, and the run again under another name: the endpoint is asked nothing;
- in another workspace, extraction and run are killed (signal 9) once half of their calls were answered, and run again:
  the endpoint counts the bodies that it was sent twice, which must be no more than the calls in flight when the process
  died (those that the call store has as ``asking``).
With ``--unbroken`` nothing is killed, with ``--verify`` a second look is asked for.
Retention is the share of the samples that have a question at the last hop, and so at each one.
Prints one line of JSON a mode; fails where one of these does not hold. Calls and tokens are those of the call store.
"""

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from scripted import LoopbackServer, Script, engine, kbe, kill_at, serving, started, status

from kbe_graph.datasets.benchmark import demo
from kbe_graph.models import Usage
from kbe_graph.models.catalogue import price_table

MODES = ("paper", "merged")
IN_FLIGHT = 8
SPREAD = 0.2  # the most seconds of an answer, so that calls are in flight when the process dies


class Commands(NamedTuple):
    """The two commands of a mode."""

    extract: tuple[str, ...]
    evolve: tuple[str, ...]


class Killed(NamedTuple):
    """What a kill left: calls answered by then, calls marked as out, requests at the server."""

    answered: int
    asking: int
    at_server: int


@contextmanager
def workspace(folder: Path, samples: int) -> Iterator[None]:
    """Keep up a workspace that holds the samples."""
    kbe(folder, "init")
    files = demo()
    lines = files.samples.read_text(encoding="utf-8").splitlines()
    (folder / "demo.jsonl").write_text("\n".join(islice(lines, samples)) + "\n", encoding="utf-8")
    with (folder / "kbe.toml").open("a", encoding="utf-8") as stream:
        stream.write(f"[models]\nin_flight = {IN_FLIGHT}\n")
    with engine(folder):
        kbe(folder, "load", folder / "demo.jsonl", "--split", "demo", "--images", files.samples.parent)
        yield


def commands(url: str, mode: str, arguments: argparse.Namespace, run: str = "first") -> Commands:
    model = ("--mode", mode, "--base-url", url, "--model", "scripted")
    verify = ("--verify",) if arguments.verify else ()
    scope = ("--hops", str(arguments.hops), "--seed", "0", "--run", run)
    scope += ("--blind", arguments.blind)
    return Commands(("extract", "--by", "model", *model), ("evolve", *model, *scope, *verify))


def counted(folder: Path, samples: int) -> dict[str, Any]:
    """Return the figures of a finished run."""
    lines = json.loads(kbe(folder, "calls", "--json"))["lines"]
    totals = {name: sum(line[name] for line in lines) for name in ("calls", "prompt", "cached", "output")}
    fresh, kept_too = (Usage(totals["prompt"], cached, totals["output"]) for cached in (0, totals["cached"]))
    price = price_table()["gpt-4o"]
    hops = status(folder, "first")["runs"]["first"]["questions"]
    kept = sum(counts.get("kept", 0) for name, counts in hops.items() if name != "hop 0")
    last = max(hops)
    return {
        "samples": samples,
        "calls": totals["calls"],
        "by step": {line["step"]: line["calls"] for line in lines},
        "unusable": sum(sum(line["failures"].values()) for line in lines),
        "calls a sample": round(totals["calls"] / samples, 2),
        "kept questions": kept,
        "retention": round(hops[last].get("kept", 0) / samples, 3),
        "dropped": {name: counts.get("dropped by reason", {}) for name, counts in hops.items()},
        "calls a question": round(totals["calls"] / kept, 2),
        "prompt tokens a question": round(totals["prompt"] / kept),
        "cached of them": round(totals["cached"] / kept),
        "output tokens a question": round(totals["output"] / kept),
        "GPT-4o list, dollars for 1,000": round(1000 * price.dollars(fresh) / kept, 2),
        "with what is cached": round(1000 * price.dollars(kept_too) / kept, 2),
    }


def killed(folder: Path, server: LoopbackServer, command: tuple[str, ...], expected: int) -> Killed:
    """Kill a command halfway through the calls expected of it."""
    before = server.statuses.total()
    answered = kill_at(started(folder, *command), server, calls=before + expected // 2) - before
    at_server = server.in_flight
    store = sqlite3.connect(folder / ".kbe" / "calls.sqlite")
    (asking,) = store.execute("SELECT count(*) FROM calls WHERE status = 'asking'").fetchone()
    store.close()
    return Killed(answered, asking, at_server)


def whole(mode: str, arguments: argparse.Namespace, place: Path) -> tuple[dict[str, Any], int]:
    """Run a mode to its end, then again; return its figures and the calls of the extraction."""
    script = Script()
    with serving(script) as server, workspace(place, arguments.samples):
        first = commands(server.url, mode, arguments)
        kbe(place, *first.extract)
        extracting = script.total
        kbe(place, *first.evolve)
        figures = counted(place, arguments.samples)
        total = script.total
        for again in (first, commands(server.url, mode, arguments, run="again")):
            kbe(place, *again.extract)
            kbe(place, *again.evolve)
    figures |= {"asked by a second run": script.total - total}
    if script.total != total or figures["calls"] + figures["unusable"] != total:
        raise SystemExit(f"{mode}: the endpoint answered {script.total} calls, {figures}")
    return figures, extracting


def interrupted(mode: str, arguments: argparse.Namespace, place: Path, calls: tuple[int, int]) -> dict[str, Any]:
    """Kill both commands of a mode halfway, and finish them; ``calls`` are those of extraction and run."""
    script = Script(SPREAD)
    deaths = []
    with serving(script) as server, workspace(place, arguments.samples):
        for command, expected in zip(commands(server.url, mode, arguments), calls, strict=True):
            deaths.append(killed(place, server, command, expected))
            kbe(place, *command)
        counts = status(place, "first")["runs"]["first"]["questions"]
    twice = sum(count - 1 for count in script.bodies.values())
    in_flight = sum(death.asking for death in deaths)
    if twice > in_flight or any(not 0 < death.answered < calls[n] for n, death in enumerate(deaths)):
        raise SystemExit(f"{mode}: {twice} calls were paid twice, {deaths} of {calls} when killed")
    return {
        "killed after": [death.answered for death in deaths],
        "of": list(calls),
        "in flight": [death.asking for death in deaths],
        "paid twice": twice,
        "kept in the end": sum(hop.get("kept", 0) for name, hop in counts.items() if name != "hop 0"),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--only", choices=MODES)
    parser.add_argument("--unbroken", action="store_true", help="kill nothing")
    parser.add_argument("--blind", default="skip", choices=("skip", "mark", "off"))
    parser.add_argument("--verify", action="store_true", help="ask for a second look")
    arguments = parser.parse_args()
    for mode in [arguments.only] if arguments.only else MODES:
        with tempfile.TemporaryDirectory() as folder:
            finished, resumed = Path(folder, "whole"), Path(folder, "killed")
            figures, extracting = whole(mode, arguments, finished)
            evolving = figures["calls"] + figures["unusable"] - extracting
            if not arguments.unbroken:
                figures |= interrupted(mode, arguments, resumed, (extracting, evolving))
        if figures.get("kept in the end", figures["kept questions"]) != figures["kept questions"]:
            raise SystemExit(f"{mode}: a killed run kept other questions: {figures}")
        print(json.dumps({"mode": mode} | figures), flush=True)


if __name__ == "__main__":
    main()
