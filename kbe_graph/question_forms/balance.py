"""Keeps a run's options level: no option is oftener right than its place among others says, no place either."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from random import Random

from kbe_graph.question_forms.alternative import Alternative
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import QuestionForm

TRUTHS = ("true", "false")
WRONG = 3  # options beside the right one
OPTIONS = 6  # where several are right


class Balance:
    """How often each option was right and wrong, and how often each place was the right one, row by row."""

    def __init__(self, answers: Iterable[str]) -> None:
        self._right = Counter(map(fold, answers))
        self._wrong: Counter[str] = Counter()
        self._places: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        self._numbers: dict[str, Counter[int]] = defaultdict(Counter)

    def count(self, row: str, form: QuestionForm) -> None:
        """Count a form that is there already."""
        if form.form == "choice":
            self._wrong.update(fold(option) for option in form.options if option not in form.answers)
            self._places[row, len(form.options)][form.options.index(form.answers[0])] += 1
        if form.form == "several":
            self._numbers[row][len(form.answers)] += 1
            self._right.update(map(fold, form.answers))
            self._wrong.update(fold(option) for option in form.options if option not in form.answers)
        if form.form == "true-false":
            self._places[row, len(TRUTHS)][TRUTHS.index(form.answers[0])] += 1

    def draw(self, options: Sequence[Alternative], seed: str, number: int = WRONG) -> list[Alternative]:
        """Return so many of the options: those first that are wrong too seldom for how often they are right.

        Of equals those are drawn that are answers oftener elsewhere, by the seed.
        """

        def order(option: Alternative) -> tuple[float, float]:
            """Return the rank of an option: what it is owed as a wrong one, then a lot drawn by its weight."""
            owed = number * self._right[fold(option.name)] - self._wrong[fold(option.name)]
            lot = seed_of("option", seed, option.name) / 2**64
            return -owed, -(lot ** (1 / (1 + option.weight)))

        drawn = sorted(options, key=order)[:number]
        self._wrong.update(fold(option.name) for option in drawn)
        return drawn

    def number(self, row: str, numbers: Sequence[int], seed: str) -> int:
        """Return how many are right, of the numbers that may be: the one used least in its row."""
        used = self._numbers[row]
        number = min(numbers, key=lambda number: (used[number], seed_of("number", seed, number)))
        used[number] += 1
        return number

    def side(self, options: Sequence[Alternative], number: int, seed: str, *, right: bool) -> list[Alternative]:
        """Return so many of the options that are right, or wrong: not those that were it too often for their weight.

        One of more weight may be it oftener than the other, and is drawn sooner, by the seed.
        """
        side, other = (self._right, self._wrong) if right else (self._wrong, self._right)

        def order(option: Alternative) -> tuple[int, float]:
            """Return the rank of an option: how far its side is ahead, then a lot drawn by its weight."""
            name, lot = fold(option.name), seed_of("option", seed, option.name) / 2**64
            return max(0, side[name] - other[name] - option.weight), -(lot ** (1 / (1 + option.weight**2)))

        drawn = sorted(options, key=order)[:number]
        side.update(fold(option.name) for option in drawn)
        return drawn

    def place(self, row: str, size: int, seed: str) -> int:
        """Return the place of the right one of so many: the one used least in its row, of equals one by the seed."""
        used = self._places[row, size]
        place = min(range(size), key=lambda place: (used[place], seed_of("place", seed, place)))
        used[place] += 1
        return place


def in_order(right: str, wrong: Sequence[str], place: int, seed: str) -> tuple[str, ...]:
    """Return the options, the wrong ones as the seed shuffles them and the right one at its place."""
    options = sorted(wrong)
    Random(seed_of("options", seed)).shuffle(options)
    return (*options[:place], right, *options[place:])
