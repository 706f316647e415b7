"""Keeps a run's options level: no option is oftener right than its place among others says, no place either."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import pow  # noqa: A004 - of floats, so that the result is one
from random import Random

from kbe_graph.forms.form_case import Alternative
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import QuestionForm

TRUTHS = ("true", "false")
WRONG = 3  # options beside the right one
OPTIONS = 6  # where several are right
MOST_AHEAD = Fraction(1, 4)  # by which an option may be, and be right once more
MOST_BEHIND = Fraction(1)  # by which an option may be, and be wrong once more


class Balance:
    """How far each option is ahead, and how often each place was the right one, row by row.

    An option that is one of two right ones of six is ahead by 1 - 2/6; as one of the wrong ones it falls back by 2/6.
    One that is ahead by nothing was right as often as guessing at its sets is.
    """

    def __init__(self, answers: Iterable[str] = (), wrong: int = WRONG) -> None:
        """Foresee the answers of sets with one right option and so many ``wrong`` ones."""
        self._wrong, self._share = wrong, Fraction(1, wrong + 1)
        self._ahead: dict[str, Fraction] = defaultdict(Fraction)
        self._places: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        self._numbers: dict[str, Counter[int]] = defaultdict(Counter)
        self._move(answers, 1 - self._share)

    def count(self, row: str, form: QuestionForm) -> None:
        """Count a form that is there already."""
        if form.form == "true-false":
            self._places[row, len(TRUTHS)][TRUTHS.index(form.answers[0])] += 1
        if form.form not in {"choice", "several"}:
            return
        size, wrong = len(form.options), [option for option in form.options if option not in form.answers]
        self._places[row, size].update(map(form.options.index, form.answers))
        if form.form == "choice":
            self._move(wrong, -self._share)
            return
        share = Fraction(len(form.answers), size)
        self._numbers[row][len(form.answers)] += 1
        self._move(form.answers, 1 - share)
        self._move(wrong, -share)

    def _move(self, names: Iterable[str], by: Fraction) -> None:
        for name in names:
            self._ahead[fold(name)] += by

    def draw(self, options: Sequence[Alternative], seed: str) -> list[Alternative]:
        """Return wrong options for a set with one right one, those first that are most ahead, and count them.

        Of equals those are drawn that are answers oftener elsewhere, by the seed.
        """
        drawn = self.foremost(options, seed)[: self._wrong]
        self._move((option.name for option in drawn), -self._share)
        return drawn

    def foremost(self, options: Iterable[Alternative], seed: str) -> list[Alternative]:
        """Return options in the order in which they should be wrong: those most ahead first."""
        return sorted(options, key=lambda option: (-self._ahead[fold(option.name)], _lot(option, seed)))

    def hindmost(self, options: Iterable[Alternative], seed: str) -> list[Alternative]:
        """Return options in the order in which they should be right: those furthest behind first."""
        return sorted(options, key=lambda option: (self._ahead[fold(option.name)], _lot(option, seed)))

    def may_be_right(self, name: str) -> bool:
        """Return whether an option is not so far ahead that its being right once more would give it away."""
        return self._ahead[fold(name)] <= MOST_AHEAD

    def may_be_wrong(self, name: str) -> bool:
        """Return whether an option is not so far behind that its being wrong once more would give it away."""
        return -self._ahead[fold(name)] <= MOST_BEHIND

    def number(self, row: str, numbers: Sequence[int], seed: str) -> int:
        """Return the number of right options: of those possible, the one used least in its row."""
        used = self._numbers[row]
        return min(numbers, key=lambda number: (used[number], seed_of("number", seed, number)))

    def place(self, row: str, size: int, seed: str) -> int:
        """Return the place of the right one of so many, and count it."""
        (place,) = self.places(row, size, seed, 1)
        self._places[row, size][place] += 1
        return place

    def places(self, row: str, size: int, seed: str, number: int) -> list[int]:
        """Return the places of so many right ones: those used least in their row, of equals by the seed."""
        used = self._places[row, size]
        return sorted(range(size), key=lambda place: (used[place], seed_of("place", seed, place)))[:number]


def _lot(option: Alternative, seed: str) -> float:
    """Return a lot between -1 and 0, the lower the more weight an option has (weighted sampling, Efraimidis 2006)."""
    lot = seed_of("option", seed, option.name) / 2**64
    return -pow(lot, 1 / (1 + option.weight))


def in_order(right: Sequence[str], wrong: Sequence[str], places: Sequence[int], seed: str) -> tuple[str, ...]:
    """Return the options, the wrong ones as the seed shuffles them and the right ones at their places."""
    options, answers, random = sorted(wrong), sorted(right), Random(seed_of("options", seed))
    random.shuffle(options)
    random.shuffle(answers)
    for place, answer in zip(sorted(places), answers, strict=True):
        options.insert(place, answer)
    return tuple(options)
