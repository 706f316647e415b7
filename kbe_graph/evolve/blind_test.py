"""Blind test of whether drafts need their image: guesses without it, and the counterfactual test.

A model that does not see the image guesses the answer, and names other things that the image could have shown given the
question's wording. A draft is dropped if its answer is guessed or hardly depends on the image.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.registry import GUESSED
from kbe_graph.english.names import same_answer
from kbe_graph.errors import NoCandidate
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.asker import ReplyOrigin, refusal_of_reply
from kbe_graph.steps.tasks import ALTERNATIVES_BATCH, GUESS_BATCH
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Alternative, Decision, Guess, Question

MOST_DRAFTS = 4  # drafts tested per sample and hop
LEAST_ALTERNATIVES = 3  # required alternatives with an answer, and required distinct answers among them
Said = TypeVar("Said")


class BlindDraft(NamedTuple):
    """Candidate question with its image; no call contains two drafts for the same image."""

    question: Question
    picture: str


class BlindLook(NamedTuple):
    """Decision on a draft without its image, with the guess and alternatives that it is based on."""

    decision: Decision = KEEP
    guess: Guess | None = None
    alternatives: tuple[Alternative, ...] = ()


Guesser = Callable[[Sequence[str]], Awaitable[tuple[list[tuple[str, ...]], ReplyOrigin]]]
"""Guesses the answers to questions, most likely first, in one call; raises NoCandidate if the reply is unusable."""
Alternatives = Callable[[Sequence[Question]], Awaitable[list[tuple[Alternative, ...]]]]
"""Names the alternatives of questions in one call; raises NoCandidate if the reply is unusable."""
RawGuess = tuple[Question, tuple[Guess, ...]]
"""Question from before the first hop (original or re-selected), with the guesses of its answer."""


class Words(NamedTuple):
    """Wording of a question."""

    id: str
    text: str
    answer: str


def words_of(question: Question) -> Words:
    """Return the wording of a question."""
    return Words(question.id, question.text, question.answer)


@dataclass(frozen=True, slots=True)
class BlindTest:
    """Test that shows drafts to a model without their image; each draft is tested only once.

    ``alternatives`` is None if the counterfactual test is not enabled.
    """

    guesser: Guesser
    alternatives: Alternatives | None = None
    skips: bool = True
    _looks: dict[Words, BlindLook] = field(default_factory=dict)

    async def look(self, drafts: Sequence[BlindDraft]) -> list[BlindLook]:
        """Test each draft: first guess all answers, then find alternatives for the drafts that were not guessed."""
        new = list({_words(draft): draft for draft in drafts if _words(draft) not in self._looks}.values())
        looks = dict(zip(map(_words, new), await self.guess(new), strict=True))
        passing = [draft for draft in new if looks[_words(draft)].decision.keep]
        if self.alternatives:
            looks |= {
                _words(draft): _with_alternatives(draft.question, looks[_words(draft)], others)
                for draft, others in zip(passing, await self._alternatives(self.alternatives, passing), strict=True)
            }
        self._looks.update(looks)
        return [self._looks[_words(draft)] for draft in drafts]

    async def guess(self, drafts: Sequence[BlindDraft]) -> list[BlindLook]:
        """Guess the answer of each draft; an unusable reply rejects its drafts."""
        return await _ask_apart(drafts, self._guess_batch, GUESS_BATCH)

    async def guesses(self, questions: Sequence[Question], pictures: Mapping[str, str]) -> list[RawGuess]:
        """Guess the answers of questions, skipping unusable replies; ``pictures`` maps samples to images."""
        looks = await self.guess([BlindDraft(question, pictures[question.sample]) for question in questions])
        return [(question, (look.guess,)) for question, look in zip(questions, looks, strict=True) if look.guess]

    async def _guess_batch(self, drafts: Sequence[BlindDraft]) -> list[BlindLook]:
        questions = [draft.question for draft in drafts]
        try:
            answers, origin = await self.guesser([question.text for question in questions])
        except NoCandidate as none:
            return [BlindLook(refusal_of_reply(none))] * len(questions)
        return [_guessed(question, tries, origin) for question, tries in zip(questions, answers, strict=True)]

    async def _alternatives(
        self, ask: Alternatives, drafts: Sequence[BlindDraft]
    ) -> list[tuple[Alternative, ...] | Decision]:
        async def ask_batch(batch: Sequence[BlindDraft]) -> list[tuple[Alternative, ...] | Decision]:
            try:
                return list(await ask([draft.question for draft in batch]))
            except NoCandidate as none:
                return [refusal_of_reply(none)] * len(batch)

        return await _ask_apart(drafts, ask_batch, ALTERNATIVES_BATCH)


def _words(draft: BlindDraft) -> Words:
    return words_of(draft.question)


async def _ask_apart(
    drafts: Sequence[BlindDraft], ask: Callable[[Sequence[BlindDraft]], Awaitable[Sequence[Said]]], most: int
) -> list[Said]:
    places = calls_apart([draft.picture for draft in drafts], most)
    replies = await gather_all(ask([drafts[place] for place in part]) for part in places)
    by_place = dict(zip(chain.from_iterable(places), chain.from_iterable(replies), strict=True))
    return [by_place[place] for place in range(len(drafts))]


def calls_apart(pictures: Sequence[str], most: int) -> list[Sequence[int]]:
    """Group draft positions into calls of at most ``most``, none with the same image twice."""
    seen = Counter[str]()
    rounds: dict[int, list[int]] = {}
    for place, picture in enumerate(pictures):
        rounds.setdefault(seen[picture], []).append(place)
        seen[picture] += 1
    return [part for places in rounds.values() for _, part in batches(places, most)]


def _guessed(question: Question, tries: Sequence[str], origin: ReplyOrigin) -> BlindLook:
    right = next((text for text in tries if _is_right(question, text)), None)
    first = right or next(iter(tries), "")
    guess = Guess(question.text, question.answer, first, right=right is not None, **origin._asdict())
    decision = Decision(keep=False, reason=GUESSED, detail=f"{first!r} by {guess.model}") if guess.right else KEEP
    return BlindLook(decision, guess)


def _is_right(question: Question, text: str) -> bool:
    return any(same_answer(text, name) for name in (question.answer, *question.aliases))


def _with_alternatives(question: Question, look: BlindLook, named: tuple[Alternative, ...] | Decision) -> BlindLook:
    if isinstance(named, Decision):
        return look._replace(decision=named)
    others = other_things(question, named)
    return look._replace(decision=decide_alternatives(question, others), alternatives=others)


def other_things(question: Question, named: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """Keep the distinct alternatives that differ from what the image shows."""
    shown = fold(question.start.name)
    others = {fold(each.root): each for each in reversed(named)}
    return tuple(each for each in dict.fromkeys(reversed(others.values())) if fold(each.root) != shown)


def decide_alternatives(question: Question, others: Sequence[Alternative]) -> Decision:
    """Keep a question only if its answer depends on the image.

    Enough alternatives must have an answer, and enough of these must differ from each other and from the question's
    own.
    """
    answers = [other.answer for other in others if other.answer]
    different = {fold(answer) for answer in answers if not _is_right(question, answer)}
    if len(answers) < LEAST_ALTERNATIVES:
        detail = f"of {len(others)} other things that the words allow {len(answers)} have the relation"
    elif len(different) < LEAST_ALTERNATIVES:
        detail = f"{len(answers)} other things that the words allow have {len(different)} other answers"
    else:
        return KEEP
    return Decision(keep=False, reason=ImageNotNeeded.name, detail=detail)
