"""A scripted endpoint for whole runs, and the command line as a user gives it.

It answers every step in the form asked for, by the request alone: the same body gets the same reply. Objects are
drawn from common nouns by a hash of question and answer, so that samples differ. Usage is counted on the body that
came: a token for ``CHARACTERS`` characters of its turns and its schema, a beginning that came before as cached, and of
pictures what ``kbe_graph.models.catalogue`` says of a model that it does not know.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from kbe_graph.english.inflect import plural
from kbe_graph.english.wordnet import wordnet
from kbe_graph.files.resources import data
from kbe_graph.models.catalogue import picture_tokens as tokens_of_picture
from kbe_graph.types import VERDICTS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

CHARACTERS = 4
KEPT_FROM, BLOCK = 1024, 128  # tokens: the shortest beginning that is kept, and by what blocks
KBE = str(Path(sys.executable).with_name("kbe"))
FILES = {f"noun.{name}" for name in ("artifact", "animal", "food", "plant", "object", "substance", "body")}
WAYS = (
    *("wrapping", "storing", "cleaning", "pairing", "selling", "trading", "packing", "mixing", "heating", "cooling"),
    *("stacking", "hanging", "painting", "folding", "lifting", "weighing", "cutting", "boiling", "drying", "shipping"),
    *("sorting", "hiding", "lending", "polishing", "feeding", "planting", "melting", "weaving", "burning", "guarding"),
)
NAMING = 4  # candidates a reply, of which the last is not representative


class Script:
    """Answers the steps and counts the bodies that it answered.

    ``spread`` is the most seconds that an answer takes; ``answer`` gives what is said to the last turn of a step.
    """

    def __init__(self, spread: float = 0.0, answer: Callable[[str, str], dict[str, Any]] | None = None) -> None:
        self.spread = spread
        self.answer = answer or reply
        self.bodies: Counter[str] = Counter()
        self.steps: Counter[str] = Counter()
        self.beginnings: set[str] = set()

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        body = hashlib.sha256(request.content).hexdigest()
        form = request.json.get("response_format", {"json_schema": {"name": "answer"}})  # an answer is plain text
        step = form["json_schema"]["name"]
        self.bodies[body] += 1
        self.steps[step] += 1
        text = json.dumps(self.answer(step, request.text))
        prompt, cached = prompt_tokens(request.json), self.cached_tokens(request.json)
        response = reply_with(text, prompt=prompt, cached=cached, output=-(-len(text) // CHARACTERS))
        delay = self.spread * int(body[:4], 16) / 0xFFFF
        return LoopbackResponse(response.content, delay=delay)

    def cached_tokens(self, body: dict[str, Any]) -> int:
        """Return the tokens of what stands before the last turn, if an earlier body began so, as OpenAI keeps them."""
        beginning = "".join(text_of(message["content"]) for message in body["messages"][:-1])
        seen = beginning in self.beginnings
        self.beginnings.add(beginning)
        tokens = len(beginning) // CHARACTERS
        return tokens // BLOCK * BLOCK if seen and tokens >= KEPT_FROM else 0

    @property
    def total(self) -> int:
        """How many calls were answered."""
        return self.bodies.total()


@contextmanager
def serving(script: Script) -> Iterator[LoopbackServer]:
    """Give a server that answers by the script, in a thread of this process."""
    nouns()  # drawn up before the first call
    with LoopbackServer(otherwise=script, record=False) as server:
        yield server


def reply(step: str, text: str) -> dict[str, Any]:
    """Return what a good model would say to the last turn of a step."""
    return {
        "extract": lambda: graph(text),
        "key": lambda: {"key": key(text)},
        "knowledge": lambda: {"candidates": facts(text)},
        "express": lambda: {"question": worded(text)},
        "reselect": lambda: {"question": question(drawn_ways(text, 1))},
        "representative": lambda: verdicts(text),
        "verify": lambda: verdicts(text),
        "confirm": lambda: {"verdicts": [{"n": n, "true": True, "only": True} for n in numbered_statements(text)]},
        "inspect": lambda: inspections(text),
        "answer": lambda: {"answer": "nobody knows"},
        "see": lambda: graph(text) | {"about": "V1", "key": ["V1", "V2", "T1"]} | recognised(text),
        "look": lambda: {"seen": [{"n": number, "o": f"MODEL {number}", "p": 0.9} for number in numbered_things(text)]},
        "draft": lambda: {"drafts": shaped(text)},
        "mend": lambda: {"mended": []},
        "solve": lambda: {"answers": solved(text)},
        "pick": lambda: picked(text),
        "guess": lambda: {"answers": [{"n": number, "a": ["nobody knows"]} for number in numbered(text)]},
        "alternatives": lambda: {"questions": [others(number, text) for number in numbered(text)]},
    }[step]()


def graph(text: str) -> dict[str, Any]:
    answer = named(text, "Answer")
    first, second, third = drawn(text, 3, without=answer)
    return {
        "visual": [spo("IMAGE", "depicts", first), spo(first, "stands beside", second), spo(second, "touches", third)],
        "textual": [spo(second, "goes with", answer)],
    }


def key(text: str) -> list[str]:
    """Return the ids of the way to the answer among the given triplets."""
    return ["V1", "V2", *re.findall(r"^(T1) <<<", text, re.MULTILINE)]


def facts(text: str) -> list[dict[str, Any]]:
    """Return candidates about the answer."""
    answer = named(text, "Answer")
    things, ways = drawn(text, NAMING, without=named(text, "Chain")), drawn_ways(text, NAMING)
    return [candidate(way, thing, answer) for way, thing in zip(ways, things, strict=True)]


def candidate(way: str, thing: str, answer: str) -> dict[str, Any]:
    names = [name for name in (plural(thing.lower()),) if name != answer]
    return {"r": f"is known for {way} with", "o": thing, "names": names, "type": "thing"}


def worded(text: str) -> str:
    new = re.findall(r"is known for (\w+) with", named(text, "New triplet"))
    return question([*gone(text), *new])


def question(ways: list[str]) -> str:
    """Return a question that names the ways alone."""
    return f"What does this image lead to by {', then '.join(ways)}?"


def gone(text: str) -> list[str]:
    """Return the ways that the chain went so far."""
    return re.findall(r"is known for (\w+) with", named(text, "Chain"))


def verdicts(text: str) -> dict[str, Any]:
    numbers = [int(number) for number in re.findall(r"^(\d+) (?:statement: )?<<<\(", text, re.MULTILINE)]
    return {"verdicts": [{"n": number, "ok": number % NAMING != 0} for number in numbers]}


def inspections(text: str) -> dict[str, Any]:
    numbers = [int(number) for number in re.findall(r"^(\d+) question: <<<", text, re.MULTILINE)]
    return {"questions": [{"n": number} | dict.fromkeys(VERDICTS, True) for number in numbers]}


def numbered(text: str) -> list[int]:
    """Return the numbers of the questions that are asked at once."""
    return [int(number) for number in re.findall(r"^(\d+) (?:question: )?<<<", text, re.MULTILINE)]


def others(number: int, text: str) -> dict[str, Any]:
    """Return four other things for a question, each with an answer of its own."""
    things = drawn(f"{number} of {text}", 8, without=text)
    pairs = zip(things[:4], things[4:], strict=True)
    return {"n": number, "others": [{"thing": thing, "answer": answer.lower()} for thing, answer in pairs]}


def recognised(text: str) -> dict[str, Any]:
    """Return two identities of the things that ``graph`` names."""
    first, second, _ = drawn(text, 3, without=named(text, "Answer"))
    names = [(first, "is of model", "MODEL 1"), (second, "is of model", "MODEL 2")]
    identities = [spo(*words) | {"e": "its outline", "p": 0.9} for words in names]
    return {"identities": identities, "crops": [{"s": first, "box": [0.2, 0.2, 0.7, 0.7]}]}


def numbered_things(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^(\d+) thing: <<<", text, re.MULTILINE)]


def shaped(text: str) -> list[dict[str, Any]]:
    """Return a draft of a fact and one that joins two identities, where two were recognised."""
    identities = re.findall(r"^(I\d) <<<\(([^,]+), is of model, ([^)]+)\)", text, re.MULTILINE)
    if len(identities) < 2:
        return []
    (one, _, first), (two, _, second) = identities[:2]
    thing, other = drawn(text, 2, without=named(text, "Answer"))
    ways = drawn_ways(text, 2)
    fact = {"shape": "fact", "use": ["V1", one], "new": [spo(first, f"is known for {ways[0]} with", thing)]}
    join = {
        "shape": "join",
        "use": ["V1", "V2", one, two],
        "new": [spo(first, f"is sold for {ways[1]} with", other), spo(second, f"is bought for {ways[1]} with", other)],
        "others": [
            spo(first, f"is sold for {ways[1]} with", "ROPE"),
            spo(second, f"is bought for {ways[1]} with", "OIL"),
        ],
    }
    return [
        fact | {"q": f"What is this known for {ways[0]} with?", "a": thing.lower()},
        join | {"q": f"With what do both of these serve for {ways[1]}?", "a": other.lower()},
    ]


def numbered_statements(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^(\d+) statement: <<<", text, re.MULTILINE)]


def solved(text: str) -> list[dict[str, Any]]:
    """Return for each question the object of a fact by the way that it asks for."""
    facts = named(text, "facts")
    ways = re.findall(r"^(\d+) question: <<<.*?(\w+)(?: with)?\?>>>$", text, re.MULTILINE)
    objects = [re.findall(rf"for {way} with, ([^,)]+)\)", facts) for _, way in ways]
    return [
        {"n": int(n), "a": [max(each, key=each.count).lower()] if each else []}
        for (n, _), each in zip(ways, objects, strict=True)
    ]


def picked(text: str) -> dict[str, Any]:
    numbers = [int(number) for number in re.findall(r"^(\d+) question: <<<", text, re.MULTILINE)]
    verdicts = [{"n": number} | dict.fromkeys(("related", "natural", "single", "worth"), True) for number in numbers]
    return {"verdicts": verdicts, "best": numbers[-1]}


def spo(subject: str, relation: str, thing: str) -> dict[str, str]:
    return {"s": subject, "r": relation, "o": thing}


def drawn(text: str, count: int, *, without: str) -> list[str]:
    """Return nouns drawn by the text, none of which is named in ``without``."""
    words = random.Random(text).sample(nouns(), count + 8)
    named = set(re.findall(r"\w+", without.lower()))
    return [word.upper() for word in words if word not in named][:count]


def drawn_ways(text: str, count: int) -> list[str]:
    return random.Random(f"ways {text}").sample([way for way in WAYS if way not in text], count)


def named(text: str, label: str) -> str:
    """Return the last line of this label, of "Old ..." too."""
    return str(re.findall(rf"^(?:Old |\d+ )?{label}: <<<(.+)>>>$", text, re.MULTILINE | re.IGNORECASE)[-1])


@cache
def nouns() -> tuple[str, ...]:
    """Return common nouns for things, in a fixed order."""
    rows = (line.split("\t") for line in gzip.decompress(data("frequencies.tsv.gz").read_bytes()).decode().splitlines())
    common = sorted(word for word, rate in rows if int(rate) >= 300 and len(word) > 2 and word.isascii())
    return tuple(word for word in common if is_thing(word))


def is_thing(word: str) -> bool:
    synsets = wordnet().synsets(word)
    counts = wordnet().counts(word)
    mostly = all(counts.get("n", 0) > counts.get(part, 0) for part in ("v", "a", "r"))
    return bool(synsets) and synsets[0].lexname in FILES and not synsets[0].instance and mostly


def prompt_tokens(body: dict[str, Any]) -> int:
    """Return the tokens of a request."""
    parts = [part for message in body["messages"] for part in parts_of(message["content"])]
    characters = sum(len(part["text"]) for part in parts if part["type"] == "text")
    characters += len(json.dumps(body.get("response_format", "")))
    pictures = sum(picture_tokens(part["image_url"]["url"]) for part in parts if part["type"] == "image_url")
    return -(-characters // CHARACTERS) + pictures


def text_of(content: Any) -> str:
    return "".join(part.get("text", "") for part in parts_of(content))


def parts_of(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@lru_cache(256)
def picture_tokens(uri: str) -> int:
    with Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))) as picture:
        return tokens_of_picture("scripted", max(picture.size))


def environment() -> dict[str, str]:
    """Return the environment of a user who has set nothing."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("KBE_", "NEO4J_", "OPENAI_"))}


def kbe(folder: Path, *arguments: object) -> str:
    """Run kbe in a workspace and return what it printed."""
    command = [KBE, "-w", str(folder), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


def started(folder: Path, *arguments: object) -> "subprocess.Popen[bytes]":
    """Start kbe in a workspace; its progress goes to this process's standard error."""
    command = [KBE, "-w", str(folder), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment())


def kill_at(process: "subprocess.Popen[bytes]", server: LoopbackServer, *, calls: int) -> int:
    """Kill the process with signal 9 once so many answers went out; return how many had by then."""
    while process.poll() is None and server.statuses.total() < calls:
        time.sleep(0.005)
    process.kill()
    process.wait()
    return server.statuses.total()


@contextmanager
def engine(folder: Path) -> Iterator[None]:
    """Keep the graph engine of a workspace up."""
    kbe(folder, "db", "start")
    try:
        yield
    finally:
        kbe(folder, "db", "stop")


def status(folder: Path, run: str) -> dict[str, Any]:
    """Return the funnel of a run."""
    report: dict[str, Any] = json.loads(kbe(folder, "status", "--run", run, "--json"))
    return report
