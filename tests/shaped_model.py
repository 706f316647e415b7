"""A scripted model for the line by shapes, whose replies a test changes."""

import json
from collections.abc import Mapping
from typing import Any

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with

PLANE = {"s": "IMAGE", "r": "depicts", "o": "PLANE"}
AIRLINE = {
    "s": "PLANE",
    "r": "is flown by",
    "o": "AIR FRANCE",
    "e": "letters on the side",
    "p": 0.95,
    "box": [0.1, 0.2, 0.6, 0.7],
}
TYPE = {"s": "PLANE", "r": "is of type", "o": "AIRBUS A380", "e": "two decks", "p": 0.9}
FACT = {
    "shape": "fact",
    "use": ["V1", "I1"],
    "new": [{"s": "AIR FRANCE", "r": "has hub at", "o": "ROISSY"}],
    "q": "At which airport is this carrier at home?",
    "a": "Roissy",
    "names": ["Charles de Gaulle"],
}
JOIN = {
    "shape": "join",
    "use": ["V1", "I1", "I2"],
    "new": [
        {"s": "AIR FRANCE", "r": "retired a type in", "o": "2020"},
        {"s": "AIRBUS A380", "r": "left a fleet in", "o": "2020"},
    ],
    "others": [],
    "q": "In which year did this airline retire this type of plane?",
    "a": "2020",
    "names": [],
}
REPLIES: Mapping[str, Any] = {
    "see": {
        "visual": [PLANE, {"s": "PLANE", "r": "has colour", "o": "white"}],
        "textual": [],
        "about": "V1",
        "key": [],
        "instead": "",
        "identities": [AIRLINE, TYPE],
    },
    "look": {"seen": [{"n": 1, "o": "AIR FRANCE", "p": 0.9}, {"n": 2, "o": "A380", "p": 0.9}]},
    "draft": {"drafts": [FACT, JOIN]},
    "confirm": {
        "verdicts": [{"n": 1, "true": True, "only": True}, *({"n": n, "true": True, "only": False} for n in (2, 3))]
    },
    "guess": {"answers": [{"n": 1, "a": ["Heathrow"]}]},
    "mend": {"mended": []},
    "solve": {"answers": [{"n": 1, "a": ["Roissy"]}, {"n": 2, "a": ["2020"]}]},
    "pick": {
        "verdicts": [{"n": n, "related": True, "natural": True, "single": True, "worth": True} for n in (1, 2)],
        "best": 2,
    },
}


class Model:
    """A model that answers each step as told, and everything else with "no idea"."""

    def __init__(self, **changed: Any) -> None:
        self.replies = {**REPLIES, **changed}
        self.steps: list[str] = []

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        step = request.json.get("response_format", {"json_schema": {"name": "answer"}})["json_schema"]["name"]
        self.steps.append(step)
        reply = self.replies.get(step, "no idea")
        return reply_with(reply if isinstance(reply, str) else json.dumps(reply(request) if callable(reply) else reply))
