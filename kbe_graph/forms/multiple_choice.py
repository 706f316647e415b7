"""Multiple choice: one right option, and wrong ones that the graph or the benchmark gives (MDK12, question types)."""

import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from string import ascii_uppercase

from kbe_graph.english.kinds import kinds_of
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.balance import WRONG, Balance, in_order
from kbe_graph.forms.distractors import FactOptions, PictureOptions, SisterOptions
from kbe_graph.forms.form_case import Alternative, FormCase, why_unsound
from kbe_graph.question import read
from kbe_graph.question.property import is_kind
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import RAW, QuestionForm, Sample

# What a last key relation says where the answer is a thing in the picture, and where it says what such a thing is.
DONE = frozenset(["holding", "wearing", "riding", "carrying", "driving", "playing"])
SHOWN = frozenset(["depicts", "kind", "called", "breed", "type", "species", "sport"])
LEAST_AGREEING = 0.5  # share of the people whose answers must be one, for a question that has but one
BENCHMARK = "benchmark"
TOO_FEW = "fewer than three sound options"
OptionFinder = Callable[[FormCase], Sequence[Alternative]]
"""Finds sound wrong options of a question; raises NoCandidate where there are fewer than three."""


class SoundOptions:
    """Finds wrong options that are sound: by facts for explored questions, by pictures and sisters for the others."""

    def __init__(self, cases: Sequence[FormCase], walk: Walk) -> None:
        self._facts, self._pictures, self._sisters = FactOptions(walk), PictureOptions(cases), SisterOptions(walk.pack)

    def __call__(self, case: FormCase) -> list[Alternative]:
        """Return the sound options of the nearest kind that has enough; raises NoCandidate where none has."""
        most = 0
        for pool in self._pools(case):
            sound = distinct(option for option in pool if not why_unsound(option, case))
            if len(sound) >= WRONG:
                return sound
            most = max(most, len(sound))
        raise NoCandidate(TOO_FEW, f"{most} for {case.question.answer!r}")

    def _pools(self, case: FormCase) -> Sequence[Sequence[Alternative]]:
        if case.question.explored:
            return self._facts(case)
        _require_seen(case)
        if case.question.key[-1].relation in DONE:
            return self._pictures(case)
        return (*self._pictures(case), *self._sisters(case))


def _require_seen(case: FormCase) -> None:
    """Raise NoCandidate for a question whose wrong options cannot be told by what is seen in the picture."""
    relation, reading = case.question.key[-1].relation, read(case.question.text)
    if relation not in DONE | SHOWN:
        raise NoCandidate("asks for no thing that is seen", relation)
    if reading.offers:
        raise NoCandidate("offers its own options", case.question.text)
    if not case.concept:
        raise NoCandidate("no concept of the answer", repr(case.question.answer))
    if relation not in DONE and not is_kind(case.concept, reading.asks_for):
        raise NoCandidate("names no kind of its answer", f"{reading.asks_for!r} of {case.question.answer!r}")
    answers = list(map(fold, case.sample.answers))
    if case.question.run == RAW and answers.count(fold(case.question.answer)) < LEAST_AGREEING * len(answers):
        raise NoCandidate("people disagree", ", ".join(dict.fromkeys(answers)))


def distinct(options: Iterable[Alternative]) -> list[Alternative]:
    """Return the options, of those with one name or concept the first, and of a kind and its kinds none but these.

    A tree is no option beside an oak: both would be right or both be wrong.
    """
    seen: set[str] = set()
    kept: list[Alternative] = []
    for option in options:
        keys = {fold(option.name), option.concept or fold(option.name)}
        if not keys & seen:
            kept.append(option)
        seen |= keys
    above = {kind for option in kept for kind in kinds_of(option.concept)[1:]}
    return [option for option in kept if option.concept not in above]


def choice_of(case: FormCase, sound: OptionFinder, balance: Balance) -> QuestionForm:
    """Return a question as multiple choice; raises NoCandidate, with the counted reason, where it has no sound one.

    A raw question keeps the benchmark's own options, those that people accepted as answers taken out.
    """
    if case.question.run == RAW and case.sample.choices:
        return _own_choice(case)
    wrong = [option.name for option in balance.draw(sound(case), case.question.id)]
    place = balance.place(case.row, WRONG + 1, case.question.id)
    return _form(case, in_order([case.question.answer], wrong, [place], case.question.id), "rule")


def accepted_choices(case: FormCase) -> list[str]:
    """Return the benchmark's own wrong options that people gave as answers: they are right as well."""
    right = set(map(fold, case.names))
    return [name for name in case.sample.choices if fold(name) in right and fold(name) != fold(case.question.answer)]


def _own_choice(case: FormCase) -> QuestionForm:
    answer, accepted = fold(case.question.answer), accepted_choices(case)
    options = tuple(dict.fromkeys(choice for choice in case.sample.choices if choice and choice not in accepted))
    if [fold(option) for option in options].count(answer) != 1:
        raise NoCandidate("no choice is the answer", repr(case.question.answer))
    if len(options) < WRONG:
        raise NoCandidate(TOO_FEW, f"{len(options) - 1} of the benchmark's own")
    return _form(case, options, BENCHMARK)


def _form(case: FormCase, options: tuple[str, ...], maker: str) -> QuestionForm:
    right = next(option for option in options if fold(option) == fold(case.question.answer))
    return QuestionForm(case.question.id, "choice", case.question.text, options, (right,), maker)


INSTRUCTION = "Answer with the letter of the right option."
# (B), B, B. frisbee, "B: frisbee", "Answer: B", "the answer is (B)"; but no word that begins with a letter (A frisbee).
_LETTER = re.compile(
    r"(?:(?:the )?(?:right |correct |final |best )?(?:answer|option|choice)(?: is)?:? )?"
    r"[(\[]?(?P<letter>[A-Z])(?:[)\].:,]+|$)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def shuffled(sample: Sample) -> tuple[str, ...]:
    """Return a sample's choices in another order, always the same one, that the sample's id draws.

    Raises InputError where it has no two different choices: there is no other order.
    """
    if len(set(sample.choices)) < 2:
        raise InputError(
            f"{sample.id}: the choices are {sample.choices!r}; two different ones are needed for another order"
        )
    random, choices = Random(seed_of("options", sample.id)), list(sample.choices)
    while tuple(choices) == sample.choices:
        random.shuffle(choices)
    return tuple(choices)


def choice_prompt(text: str, choices: Sequence[str]) -> str:
    """Return the prompt of a question with options: the question, a letter and an option a line, the instruction.

    Raises InputError where there are fewer than two options or more than letters.
    """
    if not 2 <= len(choices) <= len(ascii_uppercase):
        raise InputError(f"{text!r} has {len(choices)} options; there must be 2 to {len(ascii_uppercase)}")
    lines = (f"{letter}. {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False))
    return "\n".join((text, *lines, INSTRUCTION))


def read_choice(reply: str, choices: Sequence[str]) -> str | None:
    """Return the option that a reply chose, by its letter, its letter with its text, or its text; None if unclear.

    A letter beside the text of another option is unclear, and so are two letters.

    >>> read_choice("(B) a frisbee", ["ball", "frisbee"])
    'frisbee'
    """
    words = reply.strip().strip("*\"'` ")
    if by_text := _by_text(words, choices):
        return by_text
    match = _LETTER.fullmatch(words)
    if match is None:
        return None
    place = ascii_uppercase.index(match["letter"].upper())
    rest = match["rest"].strip().strip("*\"'` ")
    if place >= len(choices) or (rest and _by_text(rest, choices) != choices[place]):
        return None
    return choices[place]


def _by_text(words: str, choices: Sequence[str]) -> str | None:
    """Return the one option that a text is, None where none or several are."""
    named = {choice for choice in choices if choice.strip() and fold(choice) == fold(words)}
    return named.pop() if len(named) == 1 else None
