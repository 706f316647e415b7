"""Twins by a model: what it is shown, what confirms its answer, and what a repeated command asks."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from loopback_server import LoopbackRequest, LoopbackServer
from shaped_model import Model
from twin_cases import load_twin_cases

import kbe_graph as kbe

SAYS = {"WOMAN, holding, KITE": "kite", "MAN, riding, ELEPHANT": "elephant"}
SOUND = {"s": "ELEPHANT", "r": "sound", "o": "TRUMPETING"}


def twin(request: LoopbackRequest) -> dict[str, Any]:
    """Answer on the second picture by its list, and by a fact where the question needs one."""
    user = request.text.rpartition("Question: ")[2]
    end = "WOMAN, holding, KITE" if "holding" in user.splitlines()[0] else "MAN, riding, ELEPHANT"
    ids = dict(re.findall(r"(V\d+) <<<\(([^)]*)\)>>>", user)[::-1])
    (used,) = (id_ for id_, text in ids.items() if text == end)
    draft = {"shape": "", "use": [used], "new": [], "others": [], "q": "ignored?", "a": SAYS[end], "names": []}
    if "sound" in user.splitlines()[0]:
        draft |= {"new": [SOUND], "a": "trumpeting"}
    return {"found": [], "drafts": [draft]}


def solve(request: LoopbackRequest) -> dict[str, Any]:
    asked = request.text.rpartition("1 question: ")[2]
    answer = "trumpeting" if "sound" in asked else "elephant" if "riding" in asked else "no idea"
    return {"answers": [{"n": 1, "a": [answer]}]}


def test_a_model_finds_twins_and_confirms_them_on_the_other_picture_alone(tmp_path: Path) -> None:
    confirmed = {"verdicts": [{"n": 1, "true": True, "only": True}]}
    model = Model(twin=twin, solve=solve, confirm=confirmed)
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(tmp_path / "W", progress=False) as work:
        load_twin_cases(work, tmp_path)
        asked = kbe.ModelOptions("scripted", base_url=server.url, images=tmp_path)
        made = work.twins(model=asked, run="r")
        assert (made.questions, made.made) == (4, {"identify": 1, "fact": 1})
        assert made.refused["not confirmed"] == 1  # the kite, which the model does not see there alone
        twins = {each.parent: each for each in work.questions(run="r") if each.kind == "twin"}
        sound = twins["okvqa/val/1@r/1"]
        assert (sound.answer, sound.hop, sound.provenance.maker) == ("trumpeting", 1, "model")
        assert [each.id for each in sound.key][-1] == "elephant|sound|trumpeting"
        pictures = Counter(json.dumps(request.json).count('"type": "image_url"') for request in server.requests)
        assert pictures[2] == model.steps.count("twin") > 0  # all others show one picture, or none
        steps = len(model.steps)
        again = work.twins(model=asked, run="r")
        assert (again.had, len(model.steps)) == (2, steps)  # nothing is asked twice
