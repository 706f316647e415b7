"""Guessing must not pay: the answers of a run's questions must not follow from the words of the question alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kbe_graph.checks.assignment import Choices, Limits, Seat, assign
from kbe_graph.checks.concentration import Concentration
from kbe_graph.checks.row import FACT, Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

Choice = int | Decision
"""The place of the question that a sample gets, or why it gets none."""


class Guessable:
    """Refuses answers that hold too much of what one relation, or one chain of relations, is asked for in a run."""

    name = "guessable"
    stage: Stage = "run"
    rule = (
        "no answer may be that of more than a share of the questions with its last relation, or its chain of "
        "relations; a relation must have several answers, and none that is the first guess"
    )
    columns = FACT
    refused = Row("What vehicle is this?", "car", "car", "number of wheels", "four")
    passed = Row("What flag is that?", "japan", "japan", "capital", "Tokyo")

    def __init__(self, settings: FilterSettings) -> None:
        self._settings = settings

    def decide(self, candidates: Sequence[Candidate]) -> list[Decision]:
        """Return a decision on each question that a run would have; of those alike the first are kept."""
        settings = self._settings
        limits = Limits(share=1.0, group_share=settings.group_share, answers=settings.group_answers)
        choices = {
            f"{place:09}": (Seat(fold(candidate.fact.object), candidate.relations),)
            for place, candidate in enumerate(candidates)
        }
        chosen = choose(choices, limits)
        return [KEEP if isinstance(choice, int) else choice for choice in chosen.values()]


def choose(choices: Choices, limits: Limits) -> dict[str, Choice]:
    """Return what each sample gets; one that would be served if guessing paid is refused as guessable."""
    chosen = assign(choices, limits)
    if None not in chosen.values():
        return {sample: place for sample, place in chosen.items() if place is not None}
    free = assign(choices, Limits(limits.share, limits.floor, limits.earlier))
    return {
        sample: _refusal(Guessable if free[sample] is not None else Concentration) if place is None else place
        for sample, place in chosen.items()
    }


def _refusal(check: type[Concentration | Guessable]) -> Decision:
    return Decision(keep=False, reason=check.name)


def balanced(limits: Limits, choices: Choices, settings: FilterSettings) -> Limits:
    """Return the limits with those that keep guessing from paying."""
    barred = foreseeable(choices, settings)
    return replace(
        limits,
        group_share=settings.group_share,
        answers=settings.group_answers,
        barred=barred,
    )


def foreseeable(choices: Choices, settings: FilterSettings) -> frozenset[Seat]:
    """Return the seats that the first guess leads to.

    The first guess at an answer is what more than ``foreseen_share`` of the samples could have that ask for the same
    noun (what animal is this) through the same chain of relations, whether or not it is asked in the end. The first
    guess at the beginning of a chain is the first answer of more than ``first_share`` of those that ask for the same
    noun, of anything or of the same thing (the country of a food is Italy). Fewer samples than ``foreseen_support``
    tell nothing. What re-selected questions lead to is balanced alone: they ask for what is seen, whatever it is.
    """
    choices = {sample: [seat for seat in seats if not seat.reselected] for sample, seats in choices.items()}
    ends: _Answers = defaultdict(lambda: defaultdict(set))
    firsts: _Answers = defaultdict(lambda: defaultdict(set))
    for sample, seats in choices.items():
        for seat in seats:
            ends[seat.sought, *seat.chain][seat.answer].add(sample)
            for question in _beginnings(seat):
                firsts[question][seat.first].add(sample)

    of_ends, of_firsts = (_shares(answers, settings.foreseen_support) for answers in (ends, firsts))
    return frozenset(
        seat
        for seats in choices.values()
        for seat in seats
        if of_ends.get((seat.sought, *seat.chain), {}).get(seat.answer, 0.0) > settings.foreseen_share
        or any(of_firsts.get(each, {}).get(seat.first, 0.0) > settings.first_share for each in _beginnings(seat))
    )


_Answers = dict[tuple[str, ...], dict[str, set[str]]]
"""The samples that could have each answer, by what is asked."""


def _beginnings(seat: Seat) -> Iterator[tuple[str, ...]]:
    """Give what the question at the beginning of the chain asks for, of anything and of its topic."""
    if seat.first and seat.sought:
        yield (seat.sought,)
    if seat.first and seat.topic:
        yield seat.sought, seat.topic


def _shares(answers: _Answers, support: int) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the share of the samples that could have each answer, of questions that enough samples ask."""
    totals = {question: len(set().union(*samples.values())) for question, samples in answers.items()}
    return {
        question: {answer: len(those) / totals[question] for answer, those in samples.items()}
        for question, samples in answers.items()
        if totals[question] >= support
    }
