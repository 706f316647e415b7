"""Scripted models under test: each answers the questions of an export with a given skill."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with

_DATA = re.compile(r"<<<(.*?)>>>")
_ASKED = re.compile(
    r"^(\d+) (?:right answer|reference): <<<(.*?)>>>\n\1 (?:answer|response): <<<(.*?)>>>", re.MULTILINE
)


def right_answers(export: Path) -> dict[str, str]:
    """Map the text of each kept question of an export to its right answer."""
    lines = map(json.loads, export.read_text(encoding="utf-8").splitlines())
    return {line["question"]: line["answer"] for line in lines if line["status"] == "kept"}


@dataclass
class ScriptedSubject:
    """Answers a fixed share of the questions right, and judges answers by their words.

    ``asked`` counts its calls by request; a blind one, which is shown no picture, knows nothing.
    """

    answers: dict[str, str]
    skill: float = 1.0
    asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        if "response_format" in request.json:
            self.asked["judge"] += 1
            return reply_with(json.dumps({"verdicts": [*map(self._verdict, _ASKED.findall(request.text))]}))
        sees = isinstance(request.json["messages"][-1]["content"], list)
        self.asked["image" if sees else "blind"] += 1
        (question,) = _DATA.findall(request.text)
        knows = sees and question in self.answers and Random(question).random() < self.skill
        return reply_with(self.answers[question] if knows else "no idea", output=3)

    def _verdict(self, answer: tuple[str, str, str]) -> dict[str, object]:
        number, right, said = answer
        return {"n": int(number), "right": said.casefold() in right.casefold()}
