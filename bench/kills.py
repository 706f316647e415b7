"""Kills at random moments, over every command that writes: the same bytes come out, and nothing is left behind.

    python bench/kills.py [--kills 200] [--seed 0] [--samples 57] [--each 3] [--to-export] [--after-evolve]

The demo, its samples over and over where more are wanted, goes through all commands that write, in workspaces of its
own: ``W``, into which it is loaded; ``R``, into which its backup is restored; ``C``, whose engine is kept up as a
server that its graph is copied to. Models are a server on loopback that answers the same to the same. At random
moments each command, its engine or both are killed (SIGKILL), or it is interrupted as by Ctrl+C, ``--each`` times;
after each the same command is run again. ``--to-export`` leaves out what comes after the first export; with
``--after-evolve`` what comes before the forms is left alone. Where NEO4J_URI is set, all up to the second backup is
done on that server, whose graph is emptied before each round and at the end. In every second round the engine stays
warm for the next command. At the end of a round all files that were asked for must be those of a round that was left
alone, no process may be up, and no other file may lie in the folders or in that of temporary files. Prints one line
of JSON, with the seconds of each command left alone; exit code 1 where something differs.
"""

import argparse
import csv
import hashlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from kbe_graph import demo
from kbe_graph.config import WARM, read_config
from kbe_graph.store import graph_address, open_store
from kbe_graph.store.backup import empty
from kbe_graph.store.engine import start, stop

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

KBE = Path(sys.executable).with_name("kbe")
LIMIT = 7200.0
SECONDS = "3"  # that a warm engine waits
TARGETS = ("client", "engine", "both", "interrupt")
WORKSPACES = "WRCM"
WORDS = (
    *("granite", "marble", "copper", "velvet", "amber", "saffron", "walnut", "linen", "violin", "harbor", "lantern"),
    *("pepper", "saddle", "anchor", "barley", "cactus", "falcon", "ginger", "hammer", "ladder", "magnet", "needle"),
)
FETCH = ("--name", "fetched", "--fetch", "--local-hosts")
OWN = ("graph", "engine.json", "engine.log", "engine.password", "engine.users", "schema.json")  # files of an engine


def write_samples(file: Path, count: int) -> None:
    """Write the demo's samples over and over."""
    lines = [json.loads(line) for line in demo().samples.read_text(encoding="utf-8").splitlines()]
    with file.open("w", encoding="utf-8") as stream:
        for number, line in enumerate(islice(cycle(lines), count)):
            key = next(name for name in ("question_id", "id") if name in line)
            stream.write(json.dumps(line | {key: f"{number:07}-{line[key]}"}) + "\n")


def empty_server() -> None:
    """Take everything out of the server's graph."""
    with tempfile.TemporaryDirectory() as folder:
        address = graph_address(read_config(Path(folder)), os.environ)
        if address:
            with open_store(Path(folder), address) as store:
                empty(store.connection)


class Step(NamedTuple):
    """A command: the workspace it works on, its arguments, what it makes, and what is done before it, once."""

    workspace: str
    arguments: tuple[object, ...]
    makes: tuple[str, ...] = ()
    before: Callable[[Path], object] = Path.absolute  # nothing


def steps(samples: Path, model: str) -> tuple[Step, ...]:
    """Return the commands of a round over a file of samples and a model's address, in their order."""
    files = demo()
    asking = ("--model", "m", "--base-url", model)
    judging = ("--judge", "j", "--judge-base-url", model)
    return (
        Step("W", ("load", samples, "--name", "demo", "--split", "demo", "--images", files.images)),
        Step("W", ("extract", "--scene-graphs", files.scene_graphs)),
        Step("W", ("evolve", "--hops", 2, "--seed", 0, "--run", "r")),
        Step("W", ("export", "jsonl", "out.jsonl", "--all"), ("out.jsonl",)),
        Step("W", ("forms", "--form", "choice", "--form", "true-false", "--replace")),
        Step("W", ("forms", "--form", "several", "--by", "model", *asking)),
        Step("W", ("evaluate", *asking, "--variant", "image", "--variant", "choice", *judging)),
        Step("W", ("evaluate", "--predictions", "answers.jsonl", "--model", "n"), before=answer_all),
        Step("W", ("guess", "--by", "model", *asking)),
        Step("W", ("judge", "sheet", "labels.csv", "--number", 30), ("labels.csv",)),
        Step("W", ("study", "new", "study", "--number", 20), ("study",)),
        Step("W", ("study", "import", "rated.csv", "--disputed", "third.csv"), ("third.csv",), rate_all),
        Step("W", ("facts", "sheet", "facts.tsv"), ("facts.tsv",)),
        Step("W", ("facts", "review", "reviewed.tsv"), ("W/review.tsv",), review_some),
        Step(
            "W",
            ("report", "page.html", "--json", "page.json", "--csv", "csv", "--latex", "latex", "--figures", "figures"),
            ("page.html", "page.json", "csv", "latex", "figures"),
        ),
        Step("W", ("export", "all", "all"), ("all",)),
        Step("W", ("export", "huggingface", "choices", "--form", "choice"), ("choices",)),
        Step("W", ("export", "jsonl", "several.jsonl", "--form", "several"), ("several.jsonl",)),
        Step("W", ("load", samples.with_name("addresses.jsonl"), *FETCH), ("W/.kbe/images",)),
        Step("W", ("db", "export", "graph.graphml"), ("graph.graphml",)),
        Step("W", ("db", "export", "import"), ("import",)),
        Step("W", ("db", "backup", "graph.kbe"), ("graph.kbe",)),
        Step("R", ("db", "restore", "graph.kbe", "--replace")),
        Step("R", ("db", "backup", "again.kbe"), ("again.kbe",)),
        Step("R", ("db", "copy", "--to", "SERVER", "--replace")),
        Step("C", ("db", "backup", "copied.kbe"), ("copied.kbe",)),
    )


def answer_all(folder: Path) -> None:
    """Write a file of predictions, from what was exported."""
    questions = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({"id": question["id"], "answer": _word(question["id"])}) for question in questions]
    (folder / "answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def rate_all(folder: Path) -> None:
    """Fill in the sheet of a study, as two raters who do not always agree."""
    with (folder / "study" / "study.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    empty = [name for name, cell in rows[0].items() if not cell and name not in {"rater", "note", "picture", "aliases"}]
    with (folder / "rated.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        for rater in ("ann", "bea"):
            for row in rows:
                words = {name: ("yes", "no")[_number(rater, row["id"], name) % 4 == 0] for name in empty}
                writer.writerow(row | {"rater": rater} | words)


def review_some(folder: Path) -> None:
    """Fill in the first rows of a sheet of facts."""
    header, *rows = (folder / "facts.tsv").read_text(encoding="utf-8").splitlines()
    verdict = header.split("\t").index("verdict")
    filled = []
    for number, row in enumerate(rows[:50]):
        cells = row.split("\t")
        cells[verdict] = ("right", "wrong")[number % 5 == 0]
        filled.append("\t".join(cells))
    (folder / "reviewed.tsv").write_text("\n".join([header, *filled, ""]), encoding="utf-8")


def answer(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a model's request, the same to the same: each step in its form."""
    step = request.json.get("response_format", {}).get("json_schema", {}).get("name")
    if step is None:
        return reply_with(_word(request.text))
    numbers = [int(number) for number in re.findall(r"^(\d+)\b", request.text, re.MULTILINE)]
    replies: Mapping[str, object] = {
        "choices": {"options": _words(request.text, 8)},
        "also_right": {"answers": _words(request.text, 2)},
        "statement": {"statement": ""},
        "guess": {"answers": [{"n": number, "a": [_word(str(number))]} for number in numbers]},
    }
    verdicts = [{"n": number, "right": step == "judge" and number % 3 == 0} for number in dict.fromkeys(numbers)]
    return reply_with(json.dumps(replies.get(step, {"verdicts": verdicts})))


def write_addresses(file: Path, server: LoopbackServer, number: int = 50) -> None:
    """Write a benchmark whose pictures the server has."""
    rows = [
        {"question": f"Which, {each}?", "answer": _word(str(each)), "image_url": f"{server.url}/{each}.bmp"}
        for each in range(number)
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def respond_with_picture(request: LoopbackRequest) -> LoopbackResponse:
    """Respond to the address of a picture, each with another one, as slowly as a server far away."""
    stream = io.BytesIO()
    Image.new("RGB", (64, 64), (int(Path(request.path).stem), 0, 0)).save(stream, "BMP")
    return LoopbackResponse(stream.getvalue(), headers={"content-type": "image/bmp"}, delay=0.05)


def _word(text: str) -> str:
    return _words(text, 1)[0]


def _words(text: str, count: int) -> list[str]:
    return random.Random(text).sample(WORDS, count)


def _number(*parts: object) -> int:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16)


def play(
    folder: Path,
    todo: Sequence[Step],
    seconds: dict[Step, float],
    draw: random.Random,
    *,
    each: int = 0,
    gently: Sequence[Step] = (),
) -> Iterator[str]:
    """Do the commands in a folder, and give what each kill hit; the last one comes after the seconds of the command.

    Each is killed ``each`` times, but for those that are done ``gently``; with none, the seconds are noted.
    """
    empty_server()
    for workspace in WORKSPACES:
        _run(folder, Step(workspace, ("init",)))
    try:
        for step in todo:
            step.before(folder)
            for _ in range(0 if step in gently else each):
                yield _killed(folder, step, draw, seconds[step])
            begin = time.monotonic()
            _run(folder, step)
            seconds.setdefault(step, time.monotonic() - begin)
    finally:
        stop(folder / "C" / ".kbe")


def _start(folder: Path, step: Step) -> "subprocess.Popen[bytes]":
    environ, arguments = _environ(folder), list(map(str, step.arguments))
    if "SERVER" in arguments:
        server = start((folder / "C" / ".kbe").absolute())
        arguments[arguments.index("SERVER")] = server.uri
        names = ("USERNAME", "PASSWORD", "DATABASE")
        environ |= {f"NEO4J_{name}": getattr(server, name.lower()) for name in names}
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            [str(KBE), "-w", step.workspace, *arguments], cwd=folder, stdout=said, stderr=said, env=environ
        )


def _environ(folder: Path) -> dict[str, str]:
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KBE_")}
    return plain | {WARM: os.environ.get(WARM, "0"), "TMPDIR": str(temporary)}


def _run(folder: Path, step: Step) -> None:
    code = _start(folder, step).wait(LIMIT)
    if code:
        raise SystemExit(f"{step.arguments} ended with {code}: {(folder / 'said').read_text()[-2000:]}")


def _killed(folder: Path, step: Step, draw: random.Random, longest: float) -> str:
    """Start a command and kill or interrupt it, kill its engine or both; return what was hit.

    On a server that is the client alone.
    """
    target = draw.choice(TARGETS)
    command = _start(folder, step)
    with suppress(subprocess.TimeoutExpired):
        command.wait(longest * draw.random())
        return "ended before"
    engine = _engine(folder / step.workspace)
    if not engine and target != "interrupt":
        target = "client"
    elif engine and target in {"engine", "both"}:
        with suppress(ProcessLookupError):
            os.kill(engine, signal.SIGKILL)
    if target != "engine":
        command.send_signal(signal.SIGINT if target == "interrupt" else signal.SIGKILL)
    command.wait(LIMIT)
    return f"{' '.join(map(str, step.arguments[: 1 + (step.arguments[0] in GROUPS)]))} {target}"


GROUPS = ("db", "export", "facts", "judge", "study")


def _engine(workspace: Path) -> int | None:
    """Return the process of a workspace's engine, unless it is one that is kept up."""
    with suppress(OSError, ValueError, KeyError):
        record = json.loads((workspace / ".kbe" / "engine.json").read_text(encoding="utf-8"))
        return int(record["pid"]) if record["user"] else None
    return None


def _files(folder: Path) -> set[str]:
    """Return the files and folders in a folder, but for those that only engines read."""
    own = [folder / workspace / ".kbe" / name for workspace in WORKSPACES for name in OWN]
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path not in own and not any(other in path.parents for other in own)
    }


def _left(folder: Path) -> list[str]:
    """Return the processes that are still up."""
    end = time.monotonic() + 10
    while (processes := _processes(folder)) and time.monotonic() < end:
        time.sleep(0.1)
    return processes


def _processes(folder: Path) -> list[str]:
    """Return the processes that work in a folder: engines, commands and their workers (Linux alone tells of them)."""
    processes = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(folder):
                processes.append((process / "cmdline").read_text().replace("\0", " "))
    return processes


def _server() -> LoopbackServer:
    return LoopbackServer(otherwise=answer, files=respond_with_picture)


def main() -> None:
    """Play rounds until there were enough kills, and compare them with one that was left alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=57)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--to-export", action="store_true")
    parser.add_argument("--after-evolve", action="store_true")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    hits: Counter[str] = Counter()
    wrong: list[str] = []
    seconds: dict[Step, float] = {}
    rounds = 0
    with tempfile.TemporaryDirectory() as top, _server() as server:
        samples = Path(top) / "samples.jsonl"
        write_samples(samples, arguments.samples)
        write_addresses(samples.with_name("addresses.jsonl"), server)
        most = 4 if arguments.to_export else -4 if os.environ.get("NEO4J_URI") else None
        todo = steps(samples, server.url)[:most]
        alone = Path(top) / "alone"
        alone.mkdir()
        list(play(alone, todo, seconds, draw))
        while sum(hits.values()) < arguments.kills:
            rounds += 1
            os.environ[WARM] = SECONDS if rounds % 2 else "0"
            folder = Path(top) / f"round{rounds}"
            folder.mkdir()
            gently = todo[:4] if arguments.after_evolve else ()
            hit = play(folder, todo, seconds, draw, each=arguments.each, gently=gently)
            hits.update(each for each in hit if each != "ended before")
            wrong += [f"round {rounds}: {fault}" for fault in _faults(alone, folder, todo)]
    empty_server()
    alone_took = [f"{' '.join(map(str, step.arguments[:3]))} {took:.1f}" for step, took in seconds.items()]
    counts = {"samples": arguments.samples, "kills": sum(hits.values()), "rounds": rounds, "hits": hits}
    print(json.dumps(counts | {"seconds left alone": alone_took, "wrong": wrong}))
    sys.exit(bool(wrong))


def _faults(alone: Path, folder: Path, todo: Sequence[Step]) -> Iterator[str]:
    """Give what differs in a folder from one that was left alone, what is left in it, and tracebacks."""
    for process in _left(folder):
        yield f"left {process}"
    for name in sorted(_files(folder) ^ _files(alone)):
        yield f"{'left' if (folder / name).exists() else 'missing'} {name}"
    for made in (name for step in todo for name in step.makes):
        if not _same(alone / made, folder / made):
            yield f"differs {made}"
    if "Traceback" in (folder / "said").read_text(errors="replace"):
        yield "a traceback"


def _same(one: Path, other: Path) -> bool:
    files = [path for path in one.rglob("*") if path.is_file()] if one.is_dir() else [one]
    return all(_bytes(file) == _bytes(other / file.relative_to(one)) for file in files)


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


if __name__ == "__main__":
    main()
