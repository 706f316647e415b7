"""Replies of real small models (see the data's own notes), read by the step that they were asked for."""

import gzip
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.steps.answered import Answered
from kbe_graph.steps.candidates import parse_knowledge
from kbe_graph.steps.examples import Examples
from kbe_graph.steps.graph import Extract, parse_extract, parse_key
from kbe_graph.steps.reply import Words, numbered, triplets
from kbe_graph.steps.verdicts import parse_verdicts
from kbe_graph.steps.wording import parse_express
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Sample, Triplet

Reply = dict[str, Any]
# what the lines of the prompts began with that these replies were asked by
MARKERS = (
    *("=====", "VQA", "Original VQA", "Image:", "Question:", "Key information", "Multimodal", "The following are"),
    *("Please generate", "Now, please", "Below is", "Answer Related", "VQA_"),
)
VERDICTS = 3
ECHO = 20  # the reply that repeats the examples of the prompt for knowledge


def read_replies(name: str) -> list[Reply]:
    """Return the replies of a file of the data folder; skips without one."""
    folder = os.environ.get("KBE_DATA")
    if not folder:
        pytest.skip("KBE_DATA is not set: the replies of real models are not there")
    with gzip.open(Path(folder) / "llm" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Context:
    """What the prompts of a file held, told by the replies that echo them: examples, given triplets, new answers."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = replies

    @cached_property
    def examples(self) -> Examples:
        """Return what the prompts' examples say: the reply that echoes one, and what is said of several pictures alike."""
        samples: dict[Words, set[int]] = defaultdict(set)
        asked: dict[str, set[int]] = defaultdict(set)
        for reply in self.replies:
            lines = reply["out"].splitlines()
            for words in triplets(reply["out"]) if reply["kind"] == "extract" else ():
                samples[Words(*map(fold, words))].add(reply["sample"])
            for line in lines if reply["kind"] == "question" else ():
                asked[line.split(": ")[-1].strip()].add(reply["sample"])
        echoed = triplets(self.replies[ECHO]["out"])
        questions = (text for text, some in asked.items() if text.endswith("?") and len(some) >= 3)
        return Examples((*echoed, *(words for words, some in samples.items() if len(some) >= 3)), tuple(questions))

    def given(self, sample: int) -> Extract:
        """Return the triplets that the key was to be chosen from: what most replies say under an id, inventors left out."""
        said: dict[str, Counter[Words]] = defaultdict(Counter)
        for reply in self.replies:
            told = reply["kind"] == "key" and "invented_triplet" not in reply["tags"]
            if told and reply["sample"] == sample:
                for one in numbered(reply["out"]):
                    if one.words and one.id:
                        said[one.id][one.words] += 1
        most = {id_: counted.most_common(1)[0][0] for id_, counted in sorted(said.items())}
        return Extract(*(tuple(_triplet(id_, most) for id_ in most if id_[0] == letter) for letter in "VT"))

    def new_answers(self, reply: Reply) -> set[str]:
        """Return the objects of the triplets about the old answer that the prompts of its sample gave."""
        some = (one["out"] for one in self.replies if one["sample"] == reply["sample"])
        found = (words for text in some for words in triplets(text) if fold(words.subject) == fold(reply["answer"]))
        return {words.object for words in found if words.object.isupper()}


def _triplet(id_: str, said: dict[str, Words]) -> Triplet:
    words = said[id_]
    subject, thing = (IMAGE if fold(name) == "image" else Entity(name) for name in (words.subject, words.object))
    return Triplet(subject, words.relation, thing, "visual" if id_[0] == "V" else "textual")


def outcome(reply: Reply, context: Context) -> str:
    """Return ``ok: size`` of what the step's parser makes of a reply, or the kind of its refusal."""
    answered = Answered(reply["out"], reply["finish"])
    try:
        return f"ok:{READERS[reply['kind']](answered, reply, context)}"
    except ReplyError as error:
        return error.kind


def _extract(answered: Answered, reply: Reply, context: Context) -> str:
    found = parse_extract(answered, _sample(reply), shown=context.examples, echoes=MARKERS)
    return f"{len(found.visual)}+{len(found.textual)}"


def _key(answered: Answered, reply: Reply, context: Context) -> str:
    return str(len(parse_key(answered, _sample(reply), context.given(reply["sample"]), echoes=MARKERS).key))


def _knowledge(answered: Answered, reply: Reply, context: Context) -> str:
    return str(len(parse_knowledge(answered, reply["answer"], shown=context.examples, echoes=MARKERS)))


def _representative(answered: Answered, reply: Reply, context: Context) -> str:
    del reply, context
    return "".join("ny"[said] for said in parse_verdicts(answered, VERDICTS, echoes=MARKERS))


def _judge(answered: Answered, reply: Reply, context: Context) -> str:
    del reply, context
    return "".join("ny"[said] for said in parse_verdicts(answered, 1, echoes=MARKERS))


def _question(answered: Answered, reply: Reply, context: Context) -> str:
    hidden = {reply["answer"], *context.new_answers(reply)}
    parse_express(answered, old=reply["question"], hidden=hidden, shown=context.examples, echoes=MARKERS)
    return "1"


def _sample(reply: Reply) -> Sample:
    return Sample(f"s/{reply['sample']}", "s", "", reply["question"], reply["answer"])


READERS: dict[str, Callable[[Answered, Reply, Context], str]] = {
    "extract": _extract,
    "key": _key,
    "knowledge": _knowledge,
    "representative": _representative,
    "judge": _judge,
    "question": _question,
    "answer": _question,
}
