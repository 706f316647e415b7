"""Model replies without the image: the steps ``guess`` and ``alternatives``.

A guess shows whether a question's wording gives its answer away. Alternatives show whether the image decides the
answer: they name things that the image could show instead, and the question's answer for each (the counterfactual
test).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.asker import Asker, ReplyOrigin, StepRequest, chain_text, numbered_lines, step_request
from kbe_graph.steps.forms import AlternativesForm, GuessForm, read_form
from kbe_graph.steps.prompt import Data
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.types import Alternative, Question

GUESS_BATCH = 20
TOKENS_A_GUESS = 24
ALTERNATIVES_BATCH = 8
TOKENS_OF_ALTERNATIVES = 120


def render_guess(texts: Sequence[str], *, language: str = "English", tries: int = 1) -> StepRequest:
    """Render the request for up to ``tries`` short answers to each question, without its image."""
    most = 20 + TOKENS_A_GUESS * len(texts) * tries
    guesses = "one answer" if tries == 1 else f"up to {tries} answers"
    values: dict[str, Data] = {"questions": numbered_lines(tuple(texts)), "guesses": guesses, "language": language}
    return step_request("guess", GuessForm, sees_image=False, max_tokens=most, **values)


def parse_guess(reply: StepReply, count: int, *, tries: int) -> list[tuple[str, ...]]:
    """Parse the first ``tries`` answers to questions 1 to ``count``, in order; a missing one is empty.

    A model may give more answers than requested; the rest is ignored. Raises ReplyError if more than half of the
    answers are missing or a number is out of range.
    """
    form = read_form(GuessForm, reply)
    answers = {answer.n: tuple(filter(None, answer.a))[:tries] for answer in reversed(form.answers)}
    _check_numbers(reply, answers, count)
    return [answers.get(number, ()) for number in range(1, count + 1)]


def _check_numbers(reply: StepReply, found: Collection[int], count: int) -> None:
    if 2 * len(found) < count or not set(found) <= set(range(1, count + 1)):
        raise reply.error(f"{count} questions asked, found answers to those numbered {sorted(found)!r}")


@dataclass(frozen=True, slots=True)
class ModelGuesser:
    """Guesser that asks a model for up to ``tries`` answers per question without its image."""

    asker: Asker
    tries: int = 1

    async def __call__(self, texts: Sequence[str]) -> tuple[list[tuple[str, ...]], ReplyOrigin]:
        """Guess the answers in one call, most likely first; raises NoCandidate if the reply is unusable."""
        step = render_guess(texts, language=self.asker.language, tries=self.tries)
        return await self.asker.ask(step, lambda reply: parse_guess(reply, len(texts), tries=self.tries))

    async def first_answers(self, texts: Sequence[str]) -> dict[str, str]:
        """Map each question to its first guess, in one call; empty if the reply is unusable."""
        try:
            answers, _ = await self(texts)
        except NoCandidate:
            return {}
        return {text: each[0] if each else "" for text, each in zip(texts, answers, strict=True)}


def render_alternatives(questions: Sequence[Question], *, language: str = "English") -> StepRequest:
    """Render the request for other things that images could show while the questions' wording still applies."""
    lines = {
        f"{number} {label}:": text for number, question in enumerate(questions, 1) for label, text in _lines(question)
    }
    most = 20 + TOKENS_OF_ALTERNATIVES * len(questions)
    return step_request(
        "alternatives", AlternativesForm, sees_image=False, max_tokens=most, questions=lines, language=language
    )


def _lines(question: Question) -> tuple[tuple[str, str | Sequence[str]], ...]:
    return (
        ("question", question.text),
        ("shown", question.start.label),
        ("chain", chain_text(question.explored)),
        ("answer", question.answer),
    )


def parse_alternatives(reply: StepReply, count: int) -> list[tuple[Alternative, ...]]:
    """Parse the alternatives of questions 1 to ``count``, in order; a missing list is empty.

    Raises ReplyError if more than half of the lists are missing, a number is out of range, or there are several
    replies.
    """
    reply.refuse_several("questions")
    form = read_form(AlternativesForm, reply)
    others = {
        each.n: tuple(Alternative(other.thing.strip(), other.answer.strip()) for other in each.others)
        for each in reversed(form.questions)
    }
    _check_numbers(reply, others, count)
    return [others.get(number, ()) for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class ModelAlternatives:
    """Generator that asks a model for the alternatives of questions."""

    asker: Asker

    async def __call__(self, questions: Sequence[Question]) -> list[tuple[Alternative, ...]]:
        """Name the alternatives of each question in one call; raises NoCandidate if the reply is unusable."""
        step = render_alternatives(questions, language=self.asker.language)
        alternatives, _ = await self.asker.ask(step, lambda reply: parse_alternatives(reply, len(questions)))
        return alternatives
