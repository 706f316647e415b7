"""A model that answers each step well, on a loopback server, and a benchmark for it."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with
from PIL import Image

from kbe_graph.checks import FilterSettings
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import Plan, plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolve_asking
from kbe_graph.extract.extraction import extract_by_asking
from kbe_graph.folder import create_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import CallStore, DirectModel, ModelBook
from kbe_graph.progress import Reporter
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.model_options import Mode, ModelOptions
from kbe_graph.steps.session import ModelSession, open_session
from kbe_graph.store import Store
from kbe_graph.types import VERDICTS, Sample

SETTINGS = FilterSettings()
ANSWERS = ("giraffe", "violin", "horse")
FACTS = {
    "giraffe": ("lives in", "SAVANNA"),
    "violin": ("is played with", "BOW"),
    "horse": ("young is called", "FOAL"),
    "savanna": ("is covered with", "GRASS"),
    "bow": ("is strung with", "HAIR"),
    "foal": ("drinks", "MILK"),
    "grass": ("is cut by", "SCYTHE"),
    "hair": ("is cut by", "BARBER"),
    "milk": ("is turned into", "CHEESE"),
}
QUESTIONS = {
    "SAVANNA": "In what landscape is what is seen in this image at home?",
    "BOW": "What is drawn across the strings of what is seen in this image?",
    "FOAL": "What is a very young one of what is seen in this image called?",
    "GRASS": "What plant covers the landscape where what is seen here is at home?",
    "HAIR": "What material is stretched on what sounds the strings of this thing?",
    "MILK": "What do the very young ones of what is seen in this image drink?",
    "SCYTHE": "Which old tool cuts the plant of the landscape that this thing calls home?",
    "BARBER": "Which worker cuts the material stretched on what sounds this thing?",
    "CHEESE": "What food is made from what the very young ones of this thing drink?",
}

SPARE = {"giraffe": "NECK", "violin": "CASE", "horse": "SADDLE"}


def two_candidates(text: str) -> Iterator[dict[str, object]]:
    (answer,) = (answer for answer in ANSWERS if f"nswer: <<<{answer}>>>" in text)
    relation, thing = FACTS[answer]
    yield {"r": relation, "o": thing}
    yield {"r": "is seen with", "o": SPARE[answer]}


def reasons(store: Store, hop: int = 1) -> dict[str, str]:
    return {question.sample[-1]: question.reason for question in store.questions(run="r", hop=hop, status=None)}


def samples(folder: Path) -> list[Sample]:
    """Build samples whose pictures are in the folder."""
    made = []
    for number, answer in enumerate(ANSWERS):
        Image.new("RGB", (32, 32), (40 * number, 90, 10)).save(folder / f"{number}.jpg")
        made.append(Sample(f"own/val/{number}", "own", "val", "What is this?", answer, (answer,), f"{number}.jpg"))
    return made


def write_benchmark(folder: Path, *, copies: int = 1) -> Path:
    """Write the samples, each several times, as a benchmark file beside their pictures, and return the file."""
    rows = [
        {"question_id": f"{n}-{copy}" if copy else n, "image": sample.image, "question": sample.question}
        | {"answer": sample.answer}
        for n, sample in enumerate(samples(folder))
        for copy in range(copies)
    ]
    file = folder / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def step_of(request: LoopbackRequest) -> str:
    """Return the step of a request: the name of its schema."""
    name: str = request.json["response_format"]["json_schema"]["name"]
    return name


def steps_asked(request: list[LoopbackRequest]) -> Counter[str]:
    """Count the requests by step."""
    return Counter(map(step_of, request))


def answer_step(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step as a good model does."""
    value = {
        "extract": _graph,
        "key": lambda _: {"key": ["V1", "T1"]},
        "knowledge": lambda text: {"candidates": [_fact(_named(text, "Answer"))]},
        "express": lambda text: {
            "question": QUESTIONS.get(_new_object(text), f"What goes, {len(text)} times, with it?")
        },
        "representative": _yes,
        "verify": _yes,
        "inspect": inspections,
        "guess": guesses,
        "alternatives": alternatives,
    }[step_of(request)](request.text)
    return reply_with(json.dumps(value))


def _graph(text: str) -> dict[str, object]:
    answer = _named(text, "Answer")
    return {
        "visual": [{"s": "IMAGE", "r": "depicts", "o": "MIDDLE"}, {"s": "MIDDLE", "r": "is", "o": "brown"}],
        "textual": [{"s": "MIDDLE", "r": "is a kind of", "o": answer.upper()}],
    }


def _fact(answer: str) -> dict[str, object]:
    relation, thing = FACTS[answer.lower()]
    return {"r": relation, "o": thing, "names": [thing.lower(), f"{thing.lower()}s"], "type": "thing"}


def _yes(text: str) -> dict[str, object]:
    numbers = re.findall(r"^(\d+) (?:statement: )?<<<\(", text, re.MULTILINE)
    return {"verdicts": [{"n": int(number), "ok": True} for number in numbers]}


def inspections(text: str, **said: object) -> dict[str, object]:
    """Answer yes seven times for each question of a request, except for ``said``."""
    numbers = re.findall(r"^(\d+) question: <<<", text, re.MULTILINE)
    return {"questions": [{"n": int(number)} | dict.fromkeys(VERDICTS, True) | said for number in numbers]}


def guesses(text: str) -> dict[str, object]:
    """Build a wrong guess at each question of a request."""
    numbers = re.findall(r"^(\d+) <<<", text, re.MULTILINE)
    return {"answers": [{"n": int(number), "a": ["nobody knows"]} for number in numbers]}


def alternatives(text: str) -> dict[str, object]:
    """Build four other things for each question of a request, each with its own answer."""
    numbers = re.findall(r"^(\d+) question: <<<", text, re.MULTILINE)
    others = [{"thing": thing, "answer": f"{thing} bow"} for thing in ("cello", "harp", "lute", "drum")]
    return {"questions": [{"n": int(number), "others": others} for number in numbers]}


def _named(text: str, label: str) -> str:
    *_, found = re.findall(rf"^(?:\d+ )?{label}: <<<(.+)>>>$", text, re.MULTILINE | re.IGNORECASE)
    return str(found)


def _new_object(text: str) -> str:
    return _named(text, "New triplet").rpartition(", ")[2].strip(")")


def session_at(url: str, folder: Path, *, model: str = "loopback") -> AbstractContextManager[ModelSession]:
    """Open a session of a folder's models, whose pictures lie in it too."""
    options = ModelOptions(model, base_url=url, images=folder)
    return open_session(options, GraphAccess(create_folder(folder), None, Reporter()))


def asking(mode: Mode = "paper", **options: Any) -> ModelOptions:
    """Ask a model in a mode, without the tests that show it no pictures unless they are given."""
    return ModelOptions(mode=mode, **{"blind": "off"} | options)


def go(
    store: Store,
    folder: Path,
    url: str,
    model: ModelOptions,
    *,
    run: str = "r",
    hops: int = 3,
    wait: Callable[[], None] = lambda: None,
    chosen: Sequence[Sample] = (),
    filters: str = "all",
    settings: FilterSettings = SETTINGS,
    **options: Any,
) -> None:
    """Extract and evolve samples against the endpoint."""
    plan = plan_run(RunOptions(run, hops=hops, filters=filters, **options), settings, model)
    asyncio.run(_go(store, folder, url, plan, [*chosen] or samples(folder)))
    wait()


async def _go(store: Store, folder: Path, url: str, plan: Plan, some: Sequence[Sample]) -> None:
    book = ModelBook({"base_url": url, "model": "loopback", "patience": 2.0}, environ={})
    calls = CallStore(folder / "calls.sqlite")
    try:
        async with DirectModel(book, calls) as model:
            asker = Asker(model, lambda sample: [folder / sample.image], plan.model.language)
            store.save_samples(some)
            extractor = ModelExtractor(asker)
            await extract_by_asking(store, some, extractor.extract, prompt=extractor.prompt)
            place = create_folder(folder)
            await evolve_asking(place, store, plan, packaged_knowledge({}), asker)
    finally:
        calls.close()
