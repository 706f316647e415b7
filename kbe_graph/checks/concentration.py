"""No final answer may be the answer of more than a small share of a run: guessing it must not pay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kbe_graph.checks.row import ASKED, Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.seeds import seed_of
from kbe_graph.types import KEEP, Decision, Stage

Choices = Mapping[str, Sequence[str]]


class Concentration:
    """Refuses answers of a whole run: ``assign`` chooses among those that each sample could get."""

    name = "concentration"
    stage: Stage = "run"
    rule = "no final answer may be that of more than a share of the run's questions"
    columns = ASKED
    refused = Row("What animal is this?", "Carnivora")
    passed = Row("What animal is this?", "Carnivora")

    def __init__(self, settings: FilterSettings) -> None:
        self._settings = settings

    def decide(self, answers: Sequence[str]) -> list[Decision]:
        """Return a decision on each of the answers that a run would have; the first of those alike are kept."""
        share, floor = self._settings.share, self._settings.floor
        choices = {str(place): (answer,) for place, answer in enumerate(answers)}
        refusal = Decision(keep=False, reason=self.name, detail=f"over {share:.0%} of all answers")
        return [KEEP if place == 0 else refusal for place in assign(choices, {}, 0, share=share, floor=floor).values()]


def assign(
    choices: Choices, used: Mapping[str, int], total_before: int, share: float = 0.03, floor: int = 3
) -> dict[str, int | None]:
    """Return the place of the answer that each sample gets, None where none is left for it.

    ``choices`` are each sample's answers, the one drawn first in front; ``used`` counts the final answers of earlier
    hops, of which there are ``total_before``. Afterwards no answer is kept more than max(``floor``, ``share`` of all
    that are kept, earlier hops included) times. As many samples as can be are served: one that was served gives way to
    another where it has a further choice. Who is served first follows from the sample's name alone, not from the order
    of ``choices``.
    """
    total = total_before + len(choices)
    while True:
        limit = max(floor, int(share * total + 1e-9))
        seats = _Seats(
            choices, {answer: limit - used.get(answer, 0) for answers in choices.values() for answer in answers}
        )
        for sample in sorted(choices, key=seed_of):
            seats.serve(sample)
        kept = total_before + len(seats.place)
        if kept == total:
            return {sample: seats.place.get(sample) for sample in choices}
        total = kept


@dataclass(slots=True)
class _Seats:
    """Places for answers, filled by augmenting paths (Kuhn 1955); ``full`` holds the answers that can free no place."""

    choices: Choices
    free: dict[str, int]
    place: dict[str, int] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)

    def serve(self, sample: str) -> None:
        """Give the sample the first of its answers that has, or can free, a place."""
        came: dict[str, tuple[str, int]] = {}
        queue = [sample]
        for name in queue:
            for place, answer in enumerate(self.choices[name]):
                if answer in came or answer in self.full:
                    continue
                came[answer] = name, place
                if self.free[answer] > 0:
                    self._seat(answer, came)
                    return
                queue += self.held.get(answer, ())
        self.full |= came.keys()

    def _seat(self, answer: str, came: Mapping[str, tuple[str, int]]) -> None:
        """Take the free place, and move everyone on the way to it one answer on."""
        self.free[answer] -= 1
        while True:
            sample, place = came[answer]
            before = self.place.get(sample)
            self.place[sample] = place
            self.held.setdefault(answer, []).append(sample)
            if before is None:
                return
            answer = self.choices[sample][before]
            self.held[answer].remove(sample)
