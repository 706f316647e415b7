"""Mechanical checks of changed words: they differ, keep all facts, and give no answer away."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kbe_graph.checks.question_text import flaw, instruction_in
from kbe_graph.english.inflect import lemmas, vocabulary
from kbe_graph.english.same_thing import is_other_name
from kbe_graph.forms.paraphrase import difference, signs
from kbe_graph.perturb.eligible import Original, Step, VariantRejected
from kbe_graph.text import fold

LEAST_DIFFERENCE, MOST_DIFFERENCE = 0.05, 0.6
MOST_GROWTH = 2.5
CONTEXT = "context"
"""The field of a step that holds the words put before the question."""

_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}
_SEVERAL = re.compile(r"[.!?][\"'”]?\s+\S")
_STEM = 4  # minimum letters shared by words of one stem
_SHORTEST = 3  # minimum letters of an answer compared with the beginning of longer words


def check_text(text: str, original: Original, steps: Sequence[Step] = ()) -> None:
    """Raise VariantRejected, with the counted reason, if a changed text is not a valid variant."""
    if fault := text_fault(text, original, steps):
        raise VariantRejected(fault)


def text_fault(text: str, original: Original, steps: Sequence[Step] = ()) -> str:
    """Return the counted reason why a changed text is not a valid variant, empty if it is.

    Words that a step put before the question (its ``context``) may be of any length, but none may come close to an
    answer.

    >>> original = Original(work.samples()[0], work.questions(run="raw")[0])
    >>> text_fault(original.question.text, original)
    'the same words'
    """
    before = original.question.text
    asked = without_context(text, steps)
    if fold(text) == fold(before):
        return "the same words"
    if instruction_in(text) and not instruction_in(before):
        return "an instruction"
    added = text.removesuffix(asked)
    fault = "" if added and fold(asked) == fold(before) else _fault_of_question(asked, before)
    if fault or leak(text, original):
        return fault or "names an answer"
    return "comes near an answer" if added and hint(added, original) else ""


def without_context(text: str, steps: Sequence[Mapping[str, Any]]) -> str:
    """Remove the context that steps put before the question."""
    for step in reversed(steps):
        text = text.removeprefix(step.get(CONTEXT, "")).lstrip()
    return text


def _fault_of_question(asked: str, before: str) -> str:
    if not LEAST_DIFFERENCE <= difference(asked, before) <= MOST_DIFFERENCE:
        few = difference(asked, before) < LEAST_DIFFERENCE
        return "hardly other words" if few else "hardly a word of the question left"
    if len(asked.split()) > MOST_GROWTH * len(before.split()):
        return "too long"
    if signs(asked) != signs(before):
        return "another name, number or negation"
    return "flaw in the words" if flaw(asked) and not flaw(before) else ""


def is_several(text: str) -> bool:
    """Return True if a text has more than one sentence, like a question with a context."""
    return bool(_SEVERAL.search(text))


def guarded(original: Original) -> Iterator[str]:
    """Yield the names that a changed text must not give away.

    These are the accepted answers and, for an evolved question, also the earlier answers and the entities of its chain.
    """
    yield from original.accepted
    if original.question.hop:
        yield from (original.sample.answer, *original.sample.answers)
        for triplet in original.question.explored:
            yield from (triplet.subject.name, triplet.object.name)


def leak(text: str, original: Original) -> str:
    """Return a word or name that gives an answer away and is not in the question; empty if there is none.

    >>> original = Original(work.samples()[0], work.questions(run="raw")[0])
    >>> leak("What is seen here?", original), bool(leak(f"Is it {original.question.answer}?", original))
    ('', True)
    """
    before, folded = original.question.text, f" {_with_digits(text)} "
    new = vocabulary(text) - vocabulary(before)
    for name in dict.fromkeys(guarded(original)):
        if shared := new.intersection(lemmas(name)):
            return min(shared)
        whole = f" {_with_digits(name)} "
        if whole.strip() and whole in folded and whole not in f" {_with_digits(before)} ":
            return name
    return ""


def _with_digits(text: str) -> str:
    return " ".join(_DIGITS.get(word, word) for word in re.findall(r"[\w']+", fold(text)))


def hint(text: str, original: Original) -> str:
    """Return a new word that comes close to an answer, by stem or by WordNet; empty if there is none."""
    before = frozenset(lemmas(original.question.text))
    new = [word for word in lemmas(text) if word not in before]
    names = tuple(dict.fromkeys(fold(name) for name in guarded(original)))
    return next((word for word in new if any(_is_near(word, name) for name in names)), "")


def _is_near(word: str, name: str) -> bool:
    return any(_is_of_stem(word, part) for part in lemmas(name)) or is_other_name(name, word)


def _is_of_stem(word: str, other: str) -> bool:
    if min(len(word), len(other)) >= _SHORTEST and (word.startswith(other) or other.startswith(word)):
        return True
    shared = max(_STEM, min(len(word), len(other)) - 2)
    return word[:shared] == other[:shared]
