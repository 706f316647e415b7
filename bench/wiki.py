"""How fast questions are made of 10,000 pages with 100,000 statements, in what memory, and whether kills change them.

    python bench/wiki.py DATA [--pages 1000 10000] [--single 300] [--seed 0]

DATA is the folder with ``wikidata_entities`` and ``wikidata_trex``. A server on loopback answers as Wikimedia does: of
every two pages one is about a subject of T-REx, the other about a copy of one of the whole entities under a title and
an id of its own, with some of its statements. For each number of pages a table: pages a second of each step, the
most memory of its process and of the embedded engine so far, and the requests. Then each step is killed (SIGKILL) at a
random moment and run again, in another workspace: the export must have the same bytes. All steps again with
``--offline`` must ask nothing and give these bytes as well. At last a script that asks about one page at a time and
keeps nothing, beside the steps ``items`` and ``statements`` on the same pages, where each request takes a tenth of a
second. Exit code 1 where bytes differ.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

from cost import engine_of

from kbe_graph.config import WARM
from kbe_graph.facts.wikidata.entity import named_ids

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from trex_entities import add_trex, write_corpus
from wikimedia_server import Wikimedia, serving

KBE = Path(sys.executable).with_name("kbe")
STATEMENTS = 20  # of a copy, so that 10,000 pages have 100,000
KINDS = {  # what the whole entities are instances of, where the data folder has no label for it
    **dict.fromkeys(("Q3624078", "Q185441"), "country"),
    **dict.fromkeys(("Q5119", "Q1901835"), "city"),
    **dict.fromkeys(("Q16521", "Q502895"), "animal"),
    "Q1429218": "bridge",
    "Q15056993": "aircraft",
    "Q3504248": "planet",
}
FIRST = 1_000_000_000  # number of a copy's id
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("KBE_")} | {WARM: "600"}
STEPS = ("corpus", "items", "statements", "triples", "questions")
HEADER = ("step", "seconds", "pages/s", "MB", "engine MB", "requests")
LATENCY = 0.1  # seconds that a request to Wikimedia takes, where ways to ask are compared
ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}


class Cost(NamedTuple):
    """The seconds of a command, the most memory that its process and the engine took, in MB, and the requests."""

    seconds: float
    memory: int
    engine: int
    requests: int


def fill(server: Wikimedia, data: Path, count: int) -> list[str]:
    """Let a server know so many pages, and return their titles: in turn a subject of T-REx, and a copy."""
    draw = random.Random(0)
    subjects = [title for title in add_trex(server, data) if title[0] == title[0].upper()]  # a page's title
    draw.shuffle(subjects)
    copies = list(islice(cycle(server.entities.values()), count // 2))
    titles: list[str] = []
    server.labels.update(KINDS)
    for number, (subject, entity) in enumerate(zip(subjects, copies, strict=False)):
        copy = copied(entity, number, draw)
        for id_ in named_ids(copy):
            server.labels.setdefault(id_, f"thing {id_}")
        title = copy["labels"]["en"]["value"]
        server.own[copy["id"]] = copy
        server.pages[title] = copy["id"]
        titles += [subject, title]
    return titles


def copied(entity: Mapping[str, Any], number: int, draw: random.Random) -> dict[str, Any]:
    """Return a copy of an entity under an id and a name of its own: its kinds, and some of its other statements."""
    name = f"{entity['labels']['en']['value']} {number}"
    id_, name = f"Q{FIRST + number}", name[0].upper() + name[1:]
    claims = [claim for group in entity["claims"].values() for claim in group]
    kinds = entity["claims"].get("P31", [])[:2]
    others = [claim for claim in claims if claim["mainsnak"]["property"] != "P31"]
    own: dict[str, list[Any]] = {}
    for claim in (*kinds, *draw.sample(others, min(STATEMENTS - len(kinds), len(others)))):
        group = own.setdefault(claim["mainsnak"]["property"], [])
        group.append(claim | {"id": f"{id_}${claim['id']}"})
    label = {"en": {"language": "en", "value": name}}
    return {**entity, "id": id_, "labels": label, "aliases": {}, "claims": own}


def run(folder: Path, server: Wikimedia, *arguments: object) -> Cost:
    """Run a command and return its cost."""
    asked, begin = len(server.asked), time.perf_counter()
    process = start(folder, *arguments)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        said = (folder / "said").read_text(encoding="utf-8").splitlines()
        raise SystemExit(f"{arguments} ended with {status}: {said[-1:]}")
    seconds = time.perf_counter() - begin
    return Cost(seconds, usage.ru_maxrss // 1024, engine_of(folder).memory, len(server.asked) - asked)


def start(folder: Path, *arguments: object) -> "subprocess.Popen[bytes]":
    command = [str(KBE), "-w", str(folder), *map(str, arguments)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(command, stdout=said, stderr=said, env=ENVIRON)


def command_of(step: str, corpus: Path, server: Wikimedia, *more: object) -> tuple[object, ...]:
    """Return the arguments of a step."""
    if step == "corpus":
        return "wiki", step, corpus
    return ("wiki", step) if step == "triples" else ("wiki", step, "--server", server.url, *more)


def measure(folder: Path, corpus: Path, server: Wikimedia, pages: int) -> dict[str, Cost]:
    """Print a table of the steps, and return their costs."""
    run(folder, server, "init")
    costs = {}
    print(f"\n{pages} pages\n" + "".join(f"{name:>12}" for name in HEADER))
    for step in STEPS:
        cost = costs[step] = run(folder, server, *command_of(step, corpus, server))
        cells = f"{cost.seconds:.1f}", f"{pages / cost.seconds:.0f}", cost.memory, cost.engine, cost.requests
        print("".join(f"{cell:>12}" for cell in (step, *cells)), flush=True)
    return costs


def exported(folder: Path, server: Wikimedia) -> bytes:
    """Return the export of all questions."""
    file = folder / "questions.jsonl"
    run(folder, server, "export", "jsonl", file, "--all")
    return file.read_bytes()


def killed(folder: Path, corpus: Path, server: Wikimedia, costs: Mapping[str, Cost], draw: random.Random) -> list[str]:
    """Do the steps, each killed at a random moment and then run again, and return those that were hit."""
    run(folder, server, "init")
    hit = []
    for step in STEPS:
        process = start(folder, *command_of(step, corpus, server))
        with suppress(subprocess.TimeoutExpired):
            process.wait(costs[step].seconds * draw.uniform(0.3, 0.9))
        hit += [step] if process.poll() is None else []
        process.kill()
        process.wait()
        run(folder, server, *command_of(step, corpus, server))
    return hit


def stop(folder: Path) -> None:
    """Stop the engine of a workspace."""
    subprocess.run([str(KBE), "-w", str(folder), "db", "stop"], check=False, capture_output=True, env=ENVIRON)


def singly(server: Wikimedia, titles: Sequence[str]) -> None:
    """Ask about the item, the entity and the labels of one page after another, and keep nothing."""
    for title in titles:
        page = {"action": "query", "prop": "pageprops", "titles": title, "redirects": "1"}
        item = asked(server, "wikipedia/en", page)["query"]["pages"][0]["pageprops"]["wikibase_item"]
        entity = {"action": "wbgetentities", "languages": "en", "languagefallback": "1"}
        whole = asked(server, "wikidata", entity | {"ids": item})["entities"][item]
        for names in portions(sorted(named_ids(whole)), 50):
            asked(server, "wikidata", entity | {"ids": "|".join(names), "props": "labels"})


def portions(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[place : place + size] for place in range(0, len(ids), size))


def asked(server: Wikimedia, wiki: str, values: Mapping[str, str]) -> dict[str, Any]:
    with urlopen(f"{server.url}/{wiki}?{urlencode(values | ALWAYS)}") as answer:  # noqa: S310 - on this machine
        return dict(json.load(answer))


def compare(folder: Path, server: Wikimedia, titles: Sequence[str]) -> None:
    """Print what the same pages cost singly, and by the steps."""
    corpus = write_corpus(folder / "single.tsv.gz", titles, f"{server.url}/pictures")
    work = folder / "single"
    server.heard = lambda: time.sleep(LATENCY)
    run(work, server, "init")
    run(work, server, *command_of("corpus", corpus, server))
    costs = [run(work, server, *command_of(step, corpus, server)) for step in ("items", "statements")]
    stop(work)
    before, begin = len(server.asked), time.perf_counter()
    singly(server, titles)
    seconds, requests = time.perf_counter() - begin, len(server.asked) - before
    ours, own = sum(cost.requests for cost in costs), sum(cost.seconds for cost in costs)
    print(f"\n{len(titles)} pages one at a time: {requests} requests, {seconds:.1f} s")
    print(f"by the steps, saved in the graph: {ours} requests, {own:.1f} s; {seconds / own:.1f} times as fast")


def main() -> None:
    """Measure, kill, ask again offline, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--single", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    draw, wrong = random.Random(arguments.seed), False
    with tempfile.TemporaryDirectory() as place, serving(arguments.data) as server:
        top = Path(place)
        titles = fill(server, arguments.data, max(arguments.pages))
        for pages in sorted(arguments.pages):
            corpus = write_corpus(top / f"{pages}.tsv.gz", titles[:pages], f"{server.url}/pictures")
            wrong |= not held(top / str(pages), corpus, server, pages, draw)
        compare(top, server, titles[: arguments.single])
    sys.exit(wrong)


def held(folder: Path, corpus: Path, server: Wikimedia, pages: int, draw: random.Random) -> bool:
    """Measure so many pages, and return True if kills and a second run offline change no byte and ask nothing."""
    alone, other = folder / "alone", folder / "killed"
    folder.mkdir()
    costs = measure(alone, corpus, server, pages)
    bytes_ = exported(alone, server)
    again = [run(alone, server, *command_of(step, corpus, server, "--offline")) for step in STEPS]
    requests, same = sum(cost.requests for cost in again), exported(alone, server) == bytes_
    stop(alone)
    hit = killed(other, corpus, server, costs, draw)
    equal = exported(other, server) == bytes_
    stop(other)
    lines = len(bytes_.splitlines())
    print(f"{lines} lines exported; again offline: {requests} requests, same bytes: {same}")
    print(f"killed in {', '.join(hit)}; same bytes: {equal}", flush=True)
    return same and equal and not requests


if __name__ == "__main__":
    main()
