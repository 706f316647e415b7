"""Guessers at options: they see neither picture nor facts, and look at the options alone or at the words."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.statistics.shares import wilson
from kbe_graph.text import fold
from kbe_graph.types import Form, QuestionForm

GRAM = 3  # letters


class OptionFigure(NamedTuple):
    """How many of so many questions a guess at the options gets right, which share that is, and its 95 % interval.

    Where a guesser holds several options alike, it gets the part of the question that a draw among them would.
    """

    right: float
    questions: int
    share: float
    low: float
    high: float


class OptionRow(NamedTuple):
    """Questions with options in one form, of one maker (the benchmark, rules, a model): chance, and each guesser.

    Where several options are right, a guess names one of them.
    """

    maker: str
    form: Form
    questions: int
    chance: float
    guessers: Mapping[str, OptionFigure]


class _Seen(NamedTuple):
    """A guesser's knowledge of the other questions: how often each answer is right, and at which place."""

    answers: Counter[str]
    places: Counter[int]


Scores = Callable[[QuestionForm, _Seen], Sequence[float]]
"""Gives each option a score; the highest is guessed."""


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
    """Return the accuracy of guessing among options, by form and by maker of the options.

    The commonest option is that which is right of most others, the position the place that is; longest is by letters,
    and similar shares most letters with the question.
    """
    rows: dict[tuple[Form, str], list[QuestionForm]] = defaultdict(list)
    for form in forms:
        if form.options:
            rows[form.form, form.maker].append(form)
    return tuple(_row(maker, form, rows[form, maker], guessers) for form, maker in sorted(rows))


def popularity(counts: Mapping[str, int]) -> Scores:
    """Return the scores of a guesser that knows how often each name is a value in the world; names are folded."""
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
