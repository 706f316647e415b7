"""Mechanical checks of changed words: they differ, keep all facts, and give no answer away."""

import re
from collections.abc import Iterator

from kbe_graph.checks.question_text import flaw, instruction_in
from kbe_graph.english.inflect import lemmas, vocabulary
from kbe_graph.forms.paraphrase import difference, signs
from kbe_graph.perturb.eligible import Original, VariantRejected
from kbe_graph.text import fold

LEAST_DIFFERENCE, MOST_DIFFERENCE = 0.05, 0.6
MOST_GROWTH = 2.5

_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def check_text(text: str, original: Original) -> None:
    """Raise VariantRejected, with the counted reason, if a changed text is not a valid variant."""
    if fault := text_fault(text, original):
        raise VariantRejected(fault)


def text_fault(text: str, original: Original) -> str:
    """Return the counted reason why a changed text is not a valid variant, empty if it is.

    >>> original = Original(work.samples()[0], work.questions(run="raw")[0])
    >>> text_fault(original.question.text, original)
    'the same words'
    """
    before = original.question.text
    if fold(text) == fold(before):
        return "the same words"
    if instruction_in(text) and not instruction_in(before):
        return "an instruction"
    return _fault_of_question(text, before) or ("names an answer" if leak(text, original) else "")


def _fault_of_question(text: str, before: str) -> str:
    if not LEAST_DIFFERENCE <= difference(text, before) <= MOST_DIFFERENCE:
        few = difference(text, before) < LEAST_DIFFERENCE
        return "hardly other words" if few else "hardly a word of the question left"
    if len(text.split()) > MOST_GROWTH * len(before.split()):
        return "too long"
    if signs(text) != signs(before):
        return "another name, number or negation"
    return "flaw in the words" if flaw(text) and not flaw(before) else ""


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
