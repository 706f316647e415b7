"""What the examples of a prompt say: contents that a reply must not carry over to another sample."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from kbe_graph.steps.prompt import turns
from kbe_graph.steps.reply import Words
from kbe_graph.text import fold
from kbe_graph.types import IMAGE


class Examples(NamedTuple):
    """The triplets and questions that a prompt's examples show."""

    triplets: tuple[Words, ...] = ()
    questions: tuple[str, ...] = ()

    def leaked(self, words: Words) -> bool:
        """Return whether a triplet is one of an example's: word for word, or with one part put in its place.

        Of what starts at IMAGE only all three parts count, as every picture depicts something.
        """
        part = tuple(map(fold, words))
        least = 3 if part[0] == fold(IMAGE.name) else 2
        return any(_shared(part, example) >= least for example in self.triplets)

    def carried(self, subject: str, words: Words) -> bool:
        """Return whether a fact about ``subject`` is an example's fact about something else."""
        relation, thing = fold(words.relation), fold(words.object)
        same = [one for one in self.triplets if (fold(one.relation), fold(one.object)) == (relation, thing)]
        return bool(same) and all(fold(one.subject) != fold(subject) for one in same)

    def asks(self, text: str) -> bool:
        """Return whether a question is an example's."""
        return any(fold(question) == fold(text) for question in self.questions)


def _shared(part: Sequence[str], example: Words) -> int:
    return sum(one == fold(other) for one, other in zip(part, example, strict=True))


@cache
def examples(step: str) -> Examples:
    """Return what the examples in the prompt of a step say."""
    found: list[Words] = []
    questions: list[str] = []
    answer = ""
    for turn in turns(step)[:-1]:
        if turn.role == "user":
            answer = _answer(turn.text)
        elif turn.role == "assistant":
            reply = json.loads(turn.text)
            found += _triplets(reply, answer)
            questions += _questions(reply)
    return Examples(tuple(found), tuple(questions))


def _answer(text: str) -> str:
    found = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("Answer:"))
    return next(found, "")


def _triplets(reply: dict[str, Any], answer: str) -> Iterable[Words]:
    for one in (*reply.get("visual", ()), *reply.get("textual", ())):
        yield Words(one["s"], one["r"], one["o"])
    for one in reply.get("candidates", ()):
        yield Words(answer, one["r"], one["o"])
    for one in reply.get("hops", ()):
        yield Words(answer, one["r"], one["o"])
        answer = one["o"]


def _questions(reply: dict[str, Any]) -> Iterable[str]:
    drafts = (one.get("q", "") for one in (*reply.get("candidates", ()), *reply.get("hops", ())))
    return [text for text in (reply.get("question", ""), *drafts) if text]
