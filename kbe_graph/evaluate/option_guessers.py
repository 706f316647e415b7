"""Guessers of options that see neither picture nor facts, only the options and the words of the question."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.statistics.shares import wilson
from kbe_graph.text import fold
from kbe_graph.types import Form, QuestionForm

GRAM = 3  # letters


class OptionFigure(NamedTuple):
    """Number of questions whose option a guesser gets right, the share, and its 95 % interval.

    If several options tie, the guesser is credited with the expected value of a random choice among them.
    """

    right: float
    questions: int
    share: float
    low: float
    high: float


class OptionRow(NamedTuple):
    """Chance level and guesser figures for the questions of one form whose options have one maker.

    ``maker`` is the benchmark, rules, or a model. If several options are right, a guess names one of them.
    """

    maker: str
    form: Form
    questions: int
    chance: float
    guessers: Mapping[str, OptionFigure]


class _Seen(NamedTuple):
    """What a guesser knows of all questions: how often each answer is right, and at which position."""

    answers: Counter[str]
    places: Counter[int]


Scores = Callable[[QuestionForm, _Seen], Sequence[float]]
"""Function that scores each option; the highest score is the guess."""


def _commonest(form: QuestionForm, seen: _Seen) -> list[float]:
    return [seen.answers[fold(option)] - (option in form.answers) for option in form.options]


def _longest(form: QuestionForm, _: _Seen) -> list[float]:
    return [len(option) for option in form.options]


def _position(form: QuestionForm, seen: _Seen) -> list[float]:
    return [seen.places[place] for place in range(len(form.options))]


def _similar(form: QuestionForm, _: _Seen) -> list[float]:
    asked = _grams(form.text)
    return [len(_grams(option) & asked) / (len(_grams(option)) or 1) for option in form.options]


def _grams(text: str) -> set[str]:
    folded = f" {fold(text)} "
    return {folded[at : at + GRAM] for at in range(len(folded) - GRAM + 1)}


OPTION_GUESSERS: Mapping[str, Scores] = {
    "commonest": _commonest,
    "longest": _longest,
    "position": _position,
    "similar": _similar,
}


def guess_options(
    forms: Iterable[QuestionForm], guessers: Mapping[str, Scores] = OPTION_GUESSERS
) -> tuple[OptionRow, ...]:
    """Measure the accuracy of guessing among options, by form and by maker of the options.

    ``commonest`` guesses the option that is right most often elsewhere, ``position`` the most frequent position of the
    right option, ``longest`` the option with the most letters, and ``similar`` the one that shares most letter n-grams
    with the question.
    """
    rows: dict[tuple[Form, str], list[QuestionForm]] = defaultdict(list)
    for form in forms:
        if form.options:
            rows[form.form, form.maker].append(form)
    return tuple(_row(maker, form, rows[form, maker], guessers) for form, maker in sorted(rows))


def popularity(counts: Mapping[str, int]) -> Scores:
    """Build a guesser that prefers the option with the highest count in ``counts``, keyed by folded name."""
    return lambda form, _: [counts.get(fold(option), 0) for option in form.options]


def _row(maker: str, form: Form, forms: Sequence[QuestionForm], guessers: Mapping[str, Scores]) -> OptionRow:
    seen = _Seen(
        Counter(fold(answer) for form in forms for answer in form.answers),
        Counter(form.options.index(answer) for form in forms for answer in form.answers),
    )
    chance = sum(len(form.answers) / len(form.options) for form in forms) / len(forms)
    figures = {name: _figure(forms, scores, seen) for name, scores in guessers.items()}
    return OptionRow(maker, form, len(forms), round(chance, 4), figures)


def _figure(forms: Sequence[QuestionForm], scores: Scores, seen: _Seen) -> OptionFigure:
    right = sum(_part(form, scores(form, seen)) for form in forms)
    low, high = wilson(right, len(forms))
    return OptionFigure(round(right, 2), len(forms), round(right / len(forms), 4), round(low, 4), round(high, 4))


def _part(form: QuestionForm, scores: Sequence[float]) -> float:
    best = [option for option, score in zip(form.options, scores, strict=True) if score == max(scores)]
    return sum(option in form.answers for option in best) / len(best)
