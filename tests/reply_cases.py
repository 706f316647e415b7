"""Replies of real small models (see the notes in the data), read by the step that requested them."""

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
from kbe_graph.steps.examples import Examples
from kbe_graph.steps.expresser import parse_express
from kbe_graph.steps.extractor import ExtractedTriplets, parse_extract, parse_key
from kbe_graph.steps.model_source import parse_knowledge
from kbe_graph.steps.reply_text import StepReply, TripletWords, read_numbered_triplets, read_triplets
from kbe_graph.steps.verifier import parse_verdicts
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Sample, Triplet

Reply = dict[str, Any]
# labels of the lines in the prompts for these replies
MARKERS = (
    *("=====", "VQA", "Original VQA", "Image:", "Question:", "Key information", "Multimodal", "The following are"),
    *("Please generate", "Now, please", "Below is", "Answer Related", "VQA_"),
)
VERDICTS = 3
ECHO = 20  # the reply that repeats the examples in the knowledge prompt


def read_replies(name: str) -> list[Reply]:
    """Read the replies of a file of the data folder; skips the test if it is missing."""
    folder = os.environ.get("KBE_DATA")
    if not folder:
        pytest.skip("KBE_DATA is not set: the replies of real models are not there")
    with gzip.open(Path(folder) / "llm" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Context:
    """The contents of a file's prompts, inferred from replies that echo them: examples, given triplets, new answers."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = replies

    @cached_property
    def examples(self) -> Examples:
        """The contents of the prompts' examples: those that one reply echoes, and those that recur across pictures."""
        samples: dict[TripletWords, set[int]] = defaultdict(set)
        asked_of: dict[str, set[int]] = defaultdict(set)
        for reply in self.replies:
            lines = reply["out"].splitlines()
            for words in read_triplets(reply["out"]) if reply["kind"] == "extract" else ():
                samples[TripletWords(*map(fold, words))].add(reply["sample"])
            for line in lines if reply["kind"] == "question" else ():
                asked_of[line.split(": ")[-1].strip()].add(reply["sample"])
        echoed = read_triplets(self.replies[ECHO]["out"])
        questions = (text for text, pictures in asked_of.items() if text.endswith("?") and len(pictures) >= 3)
        return Examples(
            (*echoed, *(words for words, pictures in samples.items() if len(pictures) >= 3)), tuple(questions)
        )

    def given(self, sample: int) -> ExtractedTriplets:
        """Return the triplets from which the key was to be chosen: those that most replies give for an id."""
        words_by_id: dict[str, Counter[TripletWords]] = defaultdict(Counter)
        for reply in self.replies:
            numbered = reply["kind"] == "key" and "invented_triplet" not in reply["tags"]
            if numbered and reply["sample"] == sample:
                for line in read_numbered_triplets(reply["out"]):
                    if line.words and line.id:
                        words_by_id[line.id][line.words] += 1
        most = {id_: counts.most_common(1)[0][0] for id_, counts in sorted(words_by_id.items())}
        return ExtractedTriplets(*(tuple(_triplet(id_, most) for id_ in most if id_[0] == letter) for letter in "VT"))

    def new_answers(self, reply: Reply) -> set[str]:
        """Return the objects of the triplets about the old answer in the prompts of a sample."""
        texts = (other["out"] for other in self.replies if other["sample"] == reply["sample"])
        own = (words for text in texts for words in read_triplets(text) if fold(words.subject) == fold(reply["answer"]))
        return {words.object for words in own if words.object.isupper()}


def _triplet(id_: str, words_by_id: dict[str, TripletWords]) -> Triplet:
    words = words_by_id[id_]
    subject, object_ = (IMAGE if fold(name) == "image" else Entity(name) for name in (words.subject, words.object))
    return Triplet(subject, words.relation, object_, "visual" if id_[0] == "V" else "textual")


def outcome(reply: Reply, context: Context) -> str:
    """Return ``ok: size`` for a reply that the step's parser accepts, otherwise the kind of refusal."""
    step_reply = StepReply(reply["out"], reply["finish"])
    try:
        return f"ok:{READERS[reply['kind']](step_reply, reply, context)}"
    except ReplyError as error:
        return error.kind


def _extract(step_reply: StepReply, reply: Reply, context: Context) -> str:
    triplets = parse_extract(step_reply, _sample(reply), shown=context.examples, echoes=MARKERS)
    return f"{len(triplets.visual)}+{len(triplets.textual)}"


def _key(step_reply: StepReply, reply: Reply, context: Context) -> str:
    return str(len(parse_key(step_reply, _sample(reply), context.given(reply["sample"]), echoes=MARKERS).key))


def _knowledge(step_reply: StepReply, reply: Reply, context: Context) -> str:
    return str(len(parse_knowledge(step_reply, reply["answer"], shown=context.examples, echoes=MARKERS)))


def _representative(step_reply: StepReply, reply: Reply, context: Context) -> str:
    del reply, context
    return "".join("ny"[keep] for keep in parse_verdicts(step_reply, VERDICTS, echoes=MARKERS))


def _judge(step_reply: StepReply, reply: Reply, context: Context) -> str:
    del reply, context
    return "".join("ny"[right] for right in parse_verdicts(step_reply, 1, echoes=MARKERS))


def _question(step_reply: StepReply, reply: Reply, context: Context) -> str:
    hidden = {reply["answer"], *context.new_answers(reply)}
    parse_express(step_reply, old=reply["question"], hidden=hidden, shown=context.examples, echoes=MARKERS)
    return "1"


def _sample(reply: Reply) -> Sample:
    return Sample(f"s/{reply['sample']}", "s", "", reply["question"], reply["answer"])


READERS: dict[str, Callable[[StepReply, Reply, Context], str]] = {
    "extract": _extract,
    "key": _key,
    "knowledge": _knowledge,
    "representative": _representative,
    "judge": _judge,
    "question": _question,
    "answer": _question,
}
