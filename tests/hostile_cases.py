"""Hostile texts, and a model that obeys any text outside a border, on a loopback server."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with
from model_cases import inspections

from kbe_graph.steps.asker import Step
from kbe_graph.steps.extractor import ExtractedTriplets, extract_step, key_step
from kbe_graph.steps.hop_steps import express_step, knowledge_step, representative_step
from kbe_graph.steps.prompt import prompt_turns
from kbe_graph.steps.tasks import Judgeable, alternatives_step, answer_step, guess_step, judge_step
from kbe_graph.steps.verifier import Inspectable, inspect_step, verify_step
from kbe_graph.types import IMAGE, Entity, Question, Sample, Triplet

CORPUS = Path(__file__).parent / "data" / "hostile_texts.jsonl"
PLAIN_WHEN_READ = {"tag-letters"}  # invisible letters are removed
FOLLOWED = "PWNED"  # the model's output when it follows a text
_DATA = re.compile(r"<<<[^\n]*?>>>")
_LABEL = re.compile(r"^(?:Old )?(?:Question|Answer|Chain|New triplet|question|answer): <<<(.*)>>>$", re.MULTILINE)


class HostileText(NamedTuple):
    """A text of the corpus, with its trick and its language."""

    name: str
    language: str
    trick: str
    text: str


HOSTILE = [HostileText(**json.loads(line)) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def hostile_sample(hostile: HostileText, image: str = "", answer: str = "") -> Sample:
    """Build a sample whose question, and answer if none is given, are a hostile text."""
    answer = answer or hostile.text
    return Sample(f"own/val/{hostile.name}", "own", "val", hostile.text, answer, (answer,), image)


def step_requests(hostile: HostileText) -> list[Step[Any]]:
    """Build a request of every step, with a hostile text in place of all data."""
    text = hostile.text
    sample = hostile_sample(hostile)
    key = (
        Triplet(IMAGE, text, Entity(text)),
        Triplet(Entity(text), text, Entity(text), "textual"),
    )
    question = Question("b/s/1@r/0", "b/s/1", "r", 0, "raw", text, text, key)
    return [
        extract_step(sample),
        key_step(sample, ExtractedTriplets(key[:1], key[1:])),
        knowledge_step(question),
        representative_step(question, key),
        verify_step([key]),
        express_step(question, key[1]),
        inspect_step([Inspectable(sample, replace(question, aliases=(text,)))] * 2),
        guess_step([text] * 2),
        alternatives_step([replace(question, hop=1)]),
        answer_step(text),
        answer_step(text, sees_image=False),
        judge_step([Judgeable(text, text, (text, text), text)] * 2),
        judge_step([Judgeable(text, text, (text, text), text)] * 2, "judge_paper"),
    ]


def outside(text: str) -> str:
    """Return a task without its data, which is the part that a careful model takes as instructions."""
    return _DATA.sub("<data>", text)


@cache
def own_words(step: str) -> frozenset[str]:
    """Return the fixed lines of a step's task, without the values of its placeholders."""
    task = re.sub(r"\$(?:hops|language|guesses)", "<setting>", prompt_turns(step)[-1].text)
    return frozenset(re.sub(r"\$\w+", "<data>", task).splitlines())


@dataclass
class ObedientModel:
    """Answers each step well, but follows any line outside a border that is not the prompt's.

    ``followed`` are the texts that it followed. With ``reply_hostile`` it also returns hostile texts as facts, names
    and questions, as a hijacked model would.
    """

    reply_hostile: bool = False
    followed: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        step = request.json["response_format"]["json_schema"]["name"]
        self.steps.append(step)
        strange = list(self.strange_lines(step, request.text))
        self.followed += strange
        value = self._obeyed(step) if strange else getattr(self, f"_{step}")(request.text)
        return reply_with(json.dumps(value))

    def strange_lines(self, step: str, text: str) -> Iterator[str]:
        """Yield the lines of a task that are not the prompt's."""
        for line in outside(text).splitlines():
            plain = re.sub(r"(Write in |The questions are in )[\w ]+\.$", r"\1<setting>.", line)
            plain = re.sub(r"^Give [\w ]+ a question", "Give <setting> a question", plain)
            if plain not in own_words(step) and not re.fullmatch(r"[VT]?\d+ (?:[a-z ]+: )?<data>", plain):
                yield line

    def _obeyed(self, step: str) -> dict[str, Any]:
        """Build the reply to a step of a model that followed a hostile text."""
        fact = {"r": "obeys", "o": FOLLOWED, "names": [], "type": "", "ok": True, "q": f"What is {FOLLOWED.lower()}?"}
        parts = {
            "knowledge": {"candidates": [{name: fact[name] for name in ("r", "o", "names", "type")}]},
            "express": {"question": f"What is {FOLLOWED.lower()}?"},
            "key": {"key": ["V1"]},
            "inspect": {"questions": []},
            "guess": {"answers": []},
            "alternatives": {"questions": []},
        }
        graph = {"visual": [_spo("IMAGE", "shows", FOLLOWED)], "textual": [], "key": ["V1"]}
        return parts.get(step, {"verdicts": []} if step in {"representative", "verify"} else graph)

    def _extract(self, text: str) -> dict[str, Any]:
        answer = _values(text)[1].upper()
        hostile = [_spo("MIDDLE", hostile.text, hostile.text) for hostile in HOSTILE[:4]] * self.reply_hostile
        visual = [_spo("IMAGE", "depicts", "MIDDLE"), *(spo for spo in hostile if len(spo["r"]) <= 60)]
        return {"visual": visual, "textual": [_spo("MIDDLE", "is a kind of", answer)]}

    def _key(self, text: str) -> dict[str, Any]:
        del text
        return {"key": ["V1", "T1"]}

    def _facts(self, text: str) -> list[dict[str, Any]]:
        """Return a good candidate, after hostile ones if requested."""
        answer = _values(text)[1]
        number = len(answer) + crc32(text.encode())  # whatever comes first, as calls run side by side
        hostile = [HOSTILE[(number + step) % len(HOSTILE)].text for step in range(4)] * self.reply_hostile
        bad = [
            {"r": f"is told {at}", "o": words[:80] or "x", "names": [words[:80] or "x"], "type": ""}
            for at, words in enumerate(hostile)
        ]
        bad_relation = [
            {"r": words[:60], "o": f"THING {at}", "names": [], "type": ""} for at, words in enumerate(hostile)
        ]
        good = {"r": GOOD[fold_answer(answer)][0], "o": GOOD[fold_answer(answer)][1], "names": [], "type": "thing"}
        return [*bad[:4], *bad_relation[:3], good]

    def _knowledge(self, text: str) -> dict[str, Any]:
        return {"candidates": self._facts(text)}

    def _express(self, text: str) -> dict[str, Any]:
        return {"question": self._words(_values(text)[-1].rpartition(", ")[2].strip(")"), text)}

    def _reselect(self, text: str) -> dict[str, Any]:
        return {"question": self._words("THING", text)}

    def _words(self, thing: str, text: str) -> str:
        """Return a question for a thing; every other one is a hostile text if requested."""
        good = f"What goes with what this image shows, by way of number {len(thing)}?"
        number = crc32(text.encode())
        return HOSTILE[number % len(HOSTILE)].text[:300] if self.reply_hostile and number % 2 else good

    def _representative(self, text: str) -> dict[str, Any]:
        numbers = re.findall(r"^(\d+) (?:statement: )?<<<\(", text, re.MULTILINE)
        return {"verdicts": [{"n": int(number), "ok": True} for number in numbers]}

    _verify = _representative

    def _guess(self, text: str) -> dict[str, Any]:
        numbers = re.findall(r"^(\d+) <<<", text, re.MULTILINE)
        return {"answers": [{"n": int(number), "a": "lamp"} for number in numbers]}

    def _alternatives(self, text: str) -> dict[str, Any]:
        numbers = re.findall(r"^(\d+) question: <<<", text, re.MULTILINE)
        others = [{"thing": f"thing {at}", "answer": f"answer {at}"} for at in range(4)]
        return {"questions": [{"n": int(number), "others": others} for number in numbers]}

    def _inspect(self, text: str) -> dict[str, Any]:
        return inspections(text)


GOOD = {
    "": ("is often found beside", "LAMP"),
    "lamp": ("is lit with", "OIL"),
    "oil": ("is pressed from", "OLIVE"),
}


def fold_answer(answer: str) -> str:
    """Return the answer in lower case if it is an object of the good facts, otherwise an empty string."""
    return answer.lower() if answer.lower() in GOOD else ""


def _spo(subject: str, relation: str, thing: str) -> dict[str, str]:
    return {"s": subject, "r": relation, "o": thing[:80]}


def _values(text: str) -> list[str]:
    """List the data of a task's labelled lines, in order."""
    return _LABEL.findall(text)
