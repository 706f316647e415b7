"""Harnesses in separate environments, and the scripted models that they ask: see scripts/harnesses."""

import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

from kbe_graph.evaluate.prompting import is_right
from kbe_graph.export.release import ReleaseItem, make_release
from kbe_graph.export.selection import Selection
from kbe_graph.scoring.prediction_files import match_predictions, read_predictions
from kbe_graph.scoring.score_rules import SCORE_RULES, ground_truth

SKILLS = {"all": 1.0, "half": 0.5, "none": 0.0, "part": 1.0}
# The forms and skills that a harness supporting all forms is tested with.
SCORED = (
    *(("open", skill) for skill in ("all", "half", "none")),
    ("choice", "half"),
    *(("several", skill) for skill in ("all", "half", "part", "none")),
)


def harness(name: str) -> Path:
    """Return the Python of a harness; ``make conformance`` installs them."""
    if not os.environ.get("KBE_HARNESSES"):
        pytest.skip("KBE_HARNESSES is not set: run 'make conformance'")
    python = Path(os.environ["KBE_HARNESSES"]).absolute() / name / "bin/python"
    if not python.exists():
        pytest.skip(f"{name} is not installed: run 'make conformance'")
    return python


def run(python: Path, *arguments: object, cwd: Path, **environ: str) -> str:
    """Run the Python of a harness in a folder, offline."""
    plain = {"PATH": f"{python.parent}:{os.environ['PATH']}", "HOME": str(cwd), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [python, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=plain | environ,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


class ScriptedModel:
    """Answers a fixed share of a selection's questions right, and the others with "x".

    ``letter`` formats an option. With the skill "part" it omits one of several right options.
    """

    def __init__(self, selection: Selection, skill: str, letter: str = "{}") -> None:
        self.items = make_release(selection, "none").items
        self._letter, self._name, self._skill = letter, skill, SKILLS[skill]
        self.images: dict[str, int] = {}  # the number of images by question

    def reply(self, item: ReleaseItem) -> str:
        """Return the model's reply to a question."""
        if Random(item.id).random() >= self._skill:
            return "x" if not item.form.options else self._letter.format(_wrong_letter(item))
        right = item.form.letters[: -1 if self._name == "part" else None]
        return self._letter.format(",".join(right)) if item.form.options else item.answer

    def chosen(self, item: ReleaseItem) -> str:
        """Return the answer read from its reply: the option of a single letter, otherwise the letters."""
        letters = self.reply(item).rpartition(" ")[2]
        if not item.form.options:
            return self.reply(item)
        return item.form.options[ord(letters) - ord("A")] if not self._is_several(item) else letters

    def _is_several(self, item: ReleaseItem) -> bool:
        return item.form.form == "several"

    def serve(self) -> LoopbackServer:
        """Create an endpoint for the model."""
        return LoopbackServer(otherwise=self._respond, record=False)

    def _respond(self, request: LoopbackRequest) -> LoopbackResponse:
        (item,) = [item for item in self.items if item.form.text in request.text]
        parts = request.json["messages"][-1]["content"]
        self.images[item.id] = sum(part["type"] == "image_url" for part in parts if isinstance(part, dict))
        return reply_with(self.reply(item), output=3)

    def scores(self, rule: str) -> dict[str, float]:
        """Compute the score of each hop by one of our rules; other forms than open as in ``kbe evaluate``."""
        scores = defaultdict(list)
        for item in self.items:
            if item.form.form != "open":
                score = float(is_right(item.form, self.chosen(item), rule))
            else:
                score = (
                    SCORE_RULES.require(rule).score(self.reply(item), ground_truth(item.question, item.sample)) or 0.0
                )
            scores[item.group].append(score)
        return {group: sum(values) / len(values) for group, values in scores.items()}

    def require_back(self, file: Path, text: Callable[[ReleaseItem], str] | None = None) -> None:
        """Assert that a result file contains the model's reply to each question."""
        questions = [item.question for item in self.items]
        matching = match_predictions(read_predictions(file, model="scripted").predictions, questions)
        assert (matching.unknown, matching.twice) == ((), ())
        said = {prediction.question: prediction.text for prediction in matching.predictions}
        assert said == {item.id: (text or self.reply)(item) for item in self.items if item.id in said}
        assert said


def _wrong_letter(item: ReleaseItem) -> str:
    return next(letter for letter in "ABCD" if letter not in item.form.letters)


def rounded(scores: Mapping[str, Any], digits: int = 6) -> dict[str, float]:
    """Round scores to a number of digits."""
    return {group: round(float(score), digits) for group, score in sorted(scores.items())}
