"""The way of one question through the code, counted in real runs of one hop: by rules, and with a scripted model.

Prints the chains of calls from the command to the function that drafts a question (words it, or asks the model) and to
the one that saves it. A *stay* is a function that a reader must enter; what is defined within it belongs to it. A
*climb*, marked ``^``, is a call of a higher floor, or back into a file that the chain had left.
"""

import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from inspect import CO_COROUTINE
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import kbe_graph

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from commands import kbe_here, kept_up
from golden_model import answer_step
from loopback_server import LoopbackServer
from test_house import FLOORS

ROOT = Path(__file__).parents[1]
SAVES = ("kbe_graph/store/questions.py", "StoredQuestions.save_questions")
DRAFTS = {
    "rules": ("kbe_graph/evolve/rule_wording.py", "RuleExpresser.wordings"),
    "model": ("kbe_graph/steps/asker.py", "Asker.ask"),
}
COMMAND = "cli/evolve.py"  # what reads the options of a command, before it, is no part of the way
THROUGH = {"kbe_graph/evolve/exploration.py", "kbe_graph/evolve/shapes/line.py"}  # a model is asked for more
LOOP = "kbe_graph/models/loop.py"  # runs and gathers as asyncio does, whose functions are no stays either


class Stay(NamedTuple):
    """A function: its file within the checkout, and its name."""

    file: str
    name: str


class Call(NamedTuple):
    """A call that is under way, and the call that it was made in."""

    code: CodeType
    caller: "Call | None"


class Way(NamedTuple):
    """The functions from the command to an end, without repetitions of one after itself."""

    stays: tuple[Stay, ...]

    @property
    def climbs(self) -> list[tuple[Stay, Stay]]:
        """The calls of a higher floor, or of a file that the way has left."""
        steps = [(here, there) for here, there in pairwise(self.stays) if here.file != there.file]
        left: set[str] = set()
        climbs = []
        for here, there in steps:
            left.add(here.file)
            if there.file in left or FLOORS[room_of(there)] > FLOORS[room_of(here)]:
                climbs.append((here, there))
        return climbs


def room_of(stay: Stay) -> str:
    """Return the room of a function's file."""
    parts = Path(stay.file).with_suffix("").parts
    return parts[1] if parts[0] == "kbe_graph" else parts[0]


@cache
def stay_of(code: CodeType) -> Stay:
    """Return the function that a piece of code belongs to."""
    file = Path(code.co_filename).resolve().relative_to(ROOT).as_posix()
    return Stay(file, code.co_qualname.split(".<locals>")[0])


def way_to(call: Call | None) -> Way:
    """Return the way from the command to a call."""
    stays: list[Stay] = []
    while call:
        stay = stay_of(call.code)
        if stay.file != LOOP and stays[-1:] != [stay]:
            stays.append(stay)
        call = call.caller
    command = [stay for stay in stays if stay.file == COMMAND][-1:]
    start = stays.index(*command) + 1 if command else None
    return Way(tuple(reversed(stays[:start])))


@contextmanager
def calls_traced(ends: Mapping[tuple[str, str], list[Way]]) -> Iterator[None]:
    """Note the way to each call of the functions that are the ends.

    The call that is under way is a context variable, so that tasks and threads know the one that they were begun in.
    """
    under_way: ContextVar[Call | None] = ContextVar("under_way", default=None)
    coroutines: dict[FrameType, Call] = {}
    ours: dict[str, bool] = {}

    def trace(frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return"):
            return  # of C
        code = frame.f_code
        name = code.co_filename
        if name not in ours:
            place = Path(name).resolve()
            ours[name] = any(place.is_relative_to(ROOT / folder) for folder in ("kbe_graph", "cli"))
        if not ours[name]:
            return
        call = under_way.get()
        if event == "return" and call and call.code is code:
            under_way.set(call.caller)
        elif event == "call":
            made = coroutines.get(frame) or Call(code, call)
            if code.co_flags & CO_COROUTINE:
                coroutines[frame] = made
            under_way.set(made)
            if (ways := ends.get(stay_of(code))) is not None:
                ways.append(way_to(made))

    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def ways(place: Path) -> dict[str, tuple[Way, Way]]:
    """Evolve samples by a hop, by rules and with a scripted model; return the ways to draft and save a question."""
    demo, found = kbe_graph.demo(), {}
    with LoopbackServer(otherwise=answer_step) as server:
        kbe_here("-w", place, "init")
        with kept_up(place):
            kbe_here("-w", place, "load", demo.samples, "--images", demo.images)
            kbe_here("-w", place, "extract", "--sample", 6, "--scene-graphs", demo.scene_graphs)
            asks = {"rules": (), "model": ("--base-url", server.url, "--model", "m")}
            for run, options in asks.items():
                ends: dict[tuple[str, str], list[Way]] = {DRAFTS[run]: [], SAVES: []}
                with calls_traced(ends):
                    kbe_here("-w", place, "evolve", "--run", run, "--hops", 1, *options)
                found[run] = (_drafting(ends[DRAFTS[run]]), ends[SAVES][-1])
    return found


def _drafting(ways: list[Way]) -> Way:
    return next(way for way in ways if any(stay.file in THROUGH for stay in way.stays))


def main() -> None:
    """Print each way, with its climbs, and the figures of both ways of a run together."""
    with tempfile.TemporaryDirectory() as folder:
        found = ways(Path(folder) / "W")
    for run, (drafted, saved) in found.items():
        climbs = {climb for way in (drafted, saved) for climb in way.climbs}
        for end, way in (("drafted", drafted), ("saved", saved)):
            print(f"\n{run}: {end}")
            for here, there in pairwise((None, *way.stays)):
                mark = "^" if (here, there) in climbs else " "
                print(f"  {mark} {there.file}: {there.name}")
        stays = {*drafted.stays, *saved.stays}
        files = {stay.file for stay in stays}
        print(f"\n{run}: {len(stays)} stays, {len(files)} files, {len(climbs)} climbs")


if __name__ == "__main__":
    main()
