"""Rounds of a benchmark that follows the models: who was asked, how right they were, what grew and why."""

from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.brief import brief


class RoundFigures(NamedTuple):
    """A model's accuracy in a round, by answers that chose none of its questions, with the 95 % interval.

    ``model`` is ``all`` for the mean of the models. ``bias`` is what the answers of the round would say too much of the
    questions that they leave as they are; None if it could not be measured.
    """

    model: str
    questions: int
    accuracy: float
    low: float
    high: float
    bias: float | None = None
    bias_low: float | None = None
    bias_high: float | None = None


class Growth(NamedTuple):
    """A question that a round made, the one that it replaces, how it was found, and why there was need of it."""

    question: str
    before: str
    how: str
    why: str


class Dispute(NamedTuple):
    """A question that strong models answer alike and against its key: their ``answer``, and who they are."""

    question: str
    answer: str
    models: str


@brief("run number models asks makes stopped", table="figures: model questions accuracy low high")
@dataclass(frozen=True, slots=True)
class Round:
    """A round on a run: ``models`` were asked the questions of the run ``asks``, and the run ``makes`` came of it.

    ``number`` counts the rounds of a run from 1. ``least`` and ``most`` are the accuracy aimed at. ``makes`` is empty
    if nothing grew; then ``stopped`` says why. ``disputes`` are left out of the figures until people decided.
    """

    run: str
    number: int
    models: tuple[str, ...]
    least: float
    most: float
    asks: str
    makes: str = ""
    stopped: str = ""
    figures: tuple[RoundFigures, ...] = ()
    grew: tuple[Growth, ...] = ()
    disputes: tuple[Dispute, ...] = ()

    @property
    def id(self) -> str:
        """The id of the round."""
        return f"{self.run}|{self.number}"

    @property
    def disputed(self) -> list[Dispute]:
        """The disputes about questions that the round had to ask; the others are about their copies in ``makes``."""
        return [each for each in self.disputes if f"@{self.asks}/" in each.question]
