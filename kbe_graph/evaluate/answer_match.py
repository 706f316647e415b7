"""What an answer is held against, the final answer of a reply, and whether the two match."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kbe_graph.english.number import singular
from kbe_graph.text import fold
from kbe_graph.types import Question, Sample

_PEOPLE = 10  # who answered a question of OK-VQA and A-OKVQA


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The right answer of a question, as score rules see it.

    ``aliases`` are other right names of it. ``answers`` are what people answered to a question of a benchmark, mostly
    ten texts, and ``answer_ids`` their ids where the benchmark gives any (else each person is another). Both are empty
    for an evolved question. ``choices`` are the options of a multiple choice question.
    """

    answer: str
    aliases: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    answer_ids: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The answer and its aliases, the answer first."""
        return (self.answer, *self.aliases)

    @property
    def answer_lists(self) -> tuple[tuple[str, ...], ...]:
        """What people answered; where nobody was asked, as if ten people had given the answer, or each alias."""
        return (self.answers,) if self.answers else tuple((name,) * _PEOPLE for name in self.names)


def ground_truth(question: Question, sample: Sample) -> GroundTruth:
    """Return the right answers of a sample's question.

    Only the benchmark's own question has people's answers, where there is more than one, and choices.
    """
    if question.kind != "raw":
        return GroundTruth(question.answer, question.aliases)
    answers = sample.answers if len(sample.answers) > 1 else ()
    return GroundTruth(question.answer, question.aliases, answers, choices=sample.choices)


_STATED = re.compile(r"\banswer\W{0,3}(?:\bis\b|:)[\s:*_]*(.*)", re.IGNORECASE)
_AROUND = " \t\r*_\"'“”‘’`"


def final_answer(text: str) -> str:
    """Return the text after the last "the answer is" or "Answer:", to the end of its line; else the whole text.

    So are the answers of models read that were asked to reason first (Wei et al. 2022; the scorer ``answer`` of
    Inspect). Quotes and marks of emphasis around it go, and the full stop.

    >>> final_answer("It has a long neck. The answer is: a giraffe.")
    'a giraffe'
    """
    stated = [answer for line in _STATED.findall(text) if (answer := line.strip(_AROUND).rstrip(".!").strip(_AROUND))]
    return stated[-1] if stated else text


EXTRACTIONS: Mapping[str, Callable[[str], str]] = {"whole": str, "final-answer": final_answer}
"""What of a model's text is scored, by name: all of it, or the answer that it states at the end."""


_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def exact_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer, letter by letter (KBE, Table 4)."""
    return float(text == ground_truth.answer)


def normalised_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer; case, accents, a leading article, punctuation, spaces do not count."""
    return float(fold(text) == fold(ground_truth.answer))


def alias_match(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the text is the answer or an alias of it, in the singular or the plural, numbers also as digits.

    >>> from kbe_graph.evaluate.answer_match import GroundTruth
    >>> alias_match("The two giraffes", GroundTruth("2 giraffe"))
    1.0
    """
    return float(_name_key(text) in map(_name_key, ground_truth.names))


def mention(text: str, ground_truth: GroundTruth) -> float:
    """Return whether the answer or an alias stands anywhere in the text, as words; their number does not count.

    It takes sentences for answers, and a text that names several things is right by each of them: an upper end.

    >>> from kbe_graph.evaluate.answer_match import GroundTruth
    >>> mention("The people are riding on horses.", GroundTruth("horse"))
    1.0
    """
    words = f" {_word_keys(text)} "
    return float(any(f" {_word_keys(name)} " in words for name in ground_truth.names))


def _name_key(text: str) -> str:
    return singular(" ".join(_DIGITS.get(word, word) for word in fold(text).split()))


def _word_keys(text: str) -> str:
    return " ".join(map(_name_key, fold(text).split()))
