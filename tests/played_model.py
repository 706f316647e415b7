"""A model with replayed replies, written one by one by readers who looked at the photos (``data/played``).

A request is identified by its step and its data, not by the words of its prompt, so that replies survive changes of
prompts. Questions that are asked in groups, without their pictures, are identified one by one.
"""

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with

REPLIES = Path(__file__).parent / "data" / "played" / "replies.jsonl.gz"
NOTHING: Mapping[str, dict[str, Any]] = {
    "graph": {"visual": [], "textual": [], "key": ["V1"]},
    "reselect": {"question": ""},
    "hop": {"candidates": []},
    "express": {"question": ""},
}
_DATA = re.compile(r"<<<(.*?)>>>")
_OTHERS = re.compile(r"^Other answers .*$", re.MULTILINE)
_QUESTION = re.compile(r"^(\d+) (?:question: )?<<<(.*\?)>>>$", re.MULTILINE)


def key_of(step: str, data: str) -> str:
    """Name a request by its step and its data."""
    return hashlib.sha256(f"{step}\n{data}".encode()).hexdigest()[:20]


def request_key(step: str, text: str) -> str:
    """Name the request of one sample by the text of its last turn; readers did not see the other answers."""
    return key_of(step, "\n".join(_DATA.findall(_OTHERS.sub("", text))))


def questions_of(text: str) -> dict[int, str]:
    """Return the questions that a request asks at once, by number."""
    return {int(number): question for number, question in _QUESTION.findall(text)}


def played_replies() -> Iterator[dict[str, Any]]:
    """Yield the replies, each with its step and key."""
    with gzip.open(REPLIES, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@dataclass
class PlayedModel:
    """Answers from the recorded replies; other requests get an empty answer and count in ``unplayed``."""

    replies: dict[str, Any] = field(default_factory=lambda: {row["key"]: row["reply"] for row in played_replies()})
    asked: Counter[str] = field(default_factory=Counter)
    unplayed: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        step = request.json["response_format"]["json_schema"]["name"]
        self.asked[step] += 1
        if step == "guess":
            answers = [{"n": n, "a": self._of(step, text, [])} for n, text in questions_of(request.text).items()]
            return reply_with(json.dumps({"answers": answers}))
        if step == "alternatives":
            lists = [{"n": n, "others": self._of(step, text, [])} for n, text in questions_of(request.text).items()]
            return reply_with(json.dumps({"questions": lists}))
        reply = self.replies.get(request_key(step, request.text))
        self.unplayed[step] += reply is None
        return reply_with(reply if isinstance(reply, str) else json.dumps(reply or NOTHING[step]))

    def _of(self, step: str, question: str, nothing: Any) -> Any:
        reply = self.replies.get(key_of(step, question))
        self.unplayed[step] += reply is None
        return nothing if reply is None else reply
