"""Content of a prompt's examples, which a reply must not copy to another sample."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from kbe_graph.steps.prompt import CLOSE, OPEN, PACKAGED, PromptBook, prompt_turns
from kbe_graph.steps.reply_text import TripletWords
from kbe_graph.text import fold
from kbe_graph.types import IMAGE


class Examples(NamedTuple):
    """Triplets and questions in a prompt's examples."""

    triplets: tuple[TripletWords, ...] = ()
    questions: tuple[str, ...] = ()

    def holds_triplet(self, words: TripletWords) -> bool:
        """Return True if a triplet shares at least two of its three parts with an example's.

        A triplet that starts at IMAGE must share all three, as every image depicts something.
        """
        parts = tuple(map(fold, words))
        least = 3 if parts[0] == fold(IMAGE.name) else 2
        return any(_shared_parts(parts, example) >= least for example in self.triplets)

    def holds_of_another(self, subject: str, words: TripletWords) -> bool:
        """Return True if an example states the same fact about another subject, and none about ``subject``."""
        fact = fold(words.relation), fold(words.object)
        same = [example for example in self.triplets if (fold(example.relation), fold(example.object)) == fact]
        return bool(same) and all(fold(example.subject) != fold(subject) for example in same)

    def holds_question(self, text: str) -> bool:
        """Return True if an example asks this question."""
        return any(fold(question) == fold(text) for question in self.questions)


def _shared_parts(parts: Sequence[str], example: TripletWords) -> int:
    return sum(part == fold(other) for part, other in zip(parts, example, strict=True))


@cache
def examples(step: str, book: PromptBook = PACKAGED) -> Examples:
    """Read the triplets and questions in the examples of a step's prompt; raises ResourceError.

    An example that does not match the step's reply form, as custom prompts may have, contributes nothing.
    """
    triplets: list[TripletWords] = []
    questions: list[str] = []
    answer = ""
    for turn in prompt_turns(step, book)[:-1]:
        if turn.role == "user":
            answer = _answer(turn.text)
        elif turn.role == "assistant":
            reply = _reply(turn.text)
            triplets += _triplets(reply, answer)
            questions += _questions(reply)
    return Examples(tuple(triplets), tuple(questions))


def _answer(text: str) -> str:
    answers = re.findall(rf"^(?:\d+ a|A)nswer: {OPEN}(.*){CLOSE}$", text, re.MULTILINE)
    return str(answers[-1]) if answers else ""


def _reply(text: str) -> dict[str, Any]:
    try:
        reply = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return reply if isinstance(reply, dict) else {}


def _triplets(reply: dict[str, Any], answer: str) -> Iterable[TripletWords]:
    for triplet in (*_parts(reply, "visual"), *_parts(reply, "textual")):
        yield TripletWords(_word(triplet, "s"), _word(triplet, "r"), _word(triplet, "o"))
    for candidate in _parts(reply, "candidates"):
        yield TripletWords(answer, _word(candidate, "r"), _word(candidate, "o"))
    for hop in _parts(reply, "hops"):
        yield TripletWords(answer, _word(hop, "r"), _word(hop, "o"))
        answer = _word(hop, "o")


def _questions(reply: dict[str, Any]) -> Iterable[str]:
    drafts = (_word(draft, "q") for draft in (*_parts(reply, "candidates"), *_parts(reply, "hops")))
    return [text for text in (_word(reply, "question"), *drafts) if text]


def _parts(reply: dict[str, Any], name: str) -> Iterable[dict[str, Any]]:
    parts = reply.get(name, ())
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else ()


def _word(part: dict[str, Any], name: str) -> str:
    return str(part.get(name, ""))
