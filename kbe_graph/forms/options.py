"""A question with its options: in another order, as it is asked, and what a reply chose (MDK12, question types)."""

import re
from collections.abc import Sequence
from random import Random
from string import ascii_uppercase

from kbe_graph.errors import InputError
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import Sample

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
