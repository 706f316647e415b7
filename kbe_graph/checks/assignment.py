"""Which question each sample gets, chosen over a whole hop, so that no guess pays and as many as can be are kept."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.seeds import seed_of

Group = tuple[str, ...]
"""The questions with one chain of relations, or one last relation, or all of them (nothing).

Those that go on from re-selected questions of one kind by one chain have the kind in front: "what animal".
"""
_KIND = "what "


class Seat(NamedTuple):
    """What a question takes up in a run: its answer, among those that the relations of its ``chain`` lead to.

    ``sought`` is the noun that the question at the beginning of the chain asks for, ``topic`` the thing that it asks of
    (the country of a food), and ``first`` its answer. ``reselected`` says that it is a re-selected one.
    """

    answer: str
    chain: Group = ()
    sought: str = ""
    topic: str = ""
    first: str = ""
    reselected: bool = False

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that it stands in, the narrowest first; each lies within the next.

        Re-selected questions of one kind are worded alike, so what is asked on from them is a group of its own.
        """
        alike = ((_KIND + self.sought, *self.chain),) if self.reselected and self.sought else ()
        return tuple(dict.fromkeys((*alike, self.chain, self.chain[-1:], ())))


Choices = Mapping[str, Sequence[Seat]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed of the questions kept.

    An answer may be that of ``share`` of all questions and always of ``floor``; within a chain of relations and within
    its last relation that of ``group_share``, among those alike that of ``kind_share``, and always of one. A last
    relation with fewer different answers than ``answers`` is not asked. Nor are ``barred`` seats. ``earlier`` counts
    the questions of earlier hops by last relation and answer: they are questions as well, and their answers are answers
    of their relation.
    """

    share: float = 0.03
    floor: int = 3
    earlier: Mapping[tuple[str, str], int] = field(default_factory=dict)
    group_share: float = 1.0
    kind_share: float = 1.0
    answers: int = 1
    barred: frozenset[Seat] = frozenset()

    def most(self, group: Group, count: int) -> int:
        """Return how many of ``count`` questions of a group may have one answer."""
        if group:
            share = self.kind_share if group[0].startswith(_KIND) else self.group_share
            return max(1, int(share * count + 1e-9))
        return max(self.floor, int(self.share * (count + sum(self.earlier.values())) + 1e-9))

    @property
    def used(self) -> Counter[str]:
        """How often each answer was used in earlier hops."""
        used: Counter[str] = Counter()
        for (_, answer), count in self.earlier.items():
            used[answer] += count
        return used


def assign(choices: Choices, limits: Limits) -> dict[str, int | None]:
    """Return the place of the seat that each sample gets, None where none is left for it.

    ``choices`` are each sample's seats, the one drawn first in front. As many samples as can be are served: one that
    was served gives way to another where it has a further choice. How often an answer may stand depends on how many
    questions are kept, so it is found from above: as if everyone were served, then by what was kept, until nothing
    changes. Relations that could not have enough answers are closed before. Of those that came to have too few, the one
    with the fewest is offered first to one sample for each of as many answers as it needs; where that does not help,
    it is closed, and its samples are served elsewhere; then the next. Who is served first follows from the sample's
    name alone, not from the order of ``choices``.
    """
    samples, used = sorted(choices, key=seed_of), limits.used
    offers: _Offers = {
        sample: {place: seat for place, seat in enumerate(seats) if seat not in limits.barred}
        for sample, seats in choices.items()
    }
    favored: set[Group] = set()
    offers = _without(offers, _poor((seat for seats in offers.values() for seat in seats.values()), limits))
    while True:
        most = {group: limits.most(group, count) for group, count in _counts(offers.values()).items()}
        while True:
            plan = _Plan(offers, most, used)
            for sample in samples:
                plan.serve(sample)
            kept = _counts({0: seat} for seat in plan.seats())
            lower = {group: min(number, limits.most(group, kept[group])) for group, number in most.items()}
            if lower == most:
                break
            most = lower
        poor = _poor(plan.seats(), limits)
        if not poor:
            return {sample: plan.place.get(sample) for sample in choices}
        poorest = min(poor, key=lambda relation: (poor[relation], relation))
        offers = _without(offers, {poorest}) if poorest in favored else _first(offers, poorest, limits.answers)
        favored.add(poorest)


_Offers = Mapping[str, Mapping[int, Seat]]
"""The seats that are left of each sample's, by place."""


def _without(offers: _Offers, closed: Container[Group]) -> _Offers:
    return {
        sample: {place: seat for place, seat in seats.items() if seat.chain[-1:] not in closed}
        for sample, seats in offers.items()
    }


def _counts(offers: Iterable[Mapping[int, Seat]]) -> Counter[Group]:
    """Return how many samples could stand in each group."""
    return Counter(group for seats in offers for group in {group for seat in seats.values() for group in seat.groups})


def _first(offers: _Offers, favored: Group, answers: int) -> _Offers:
    """Return the offers with a last relation in front, for one sample of each of so many answers."""
    chosen: dict[str, str] = {}
    for sample in sorted(offers, key=seed_of):
        new = [seat.answer for seat in offers[sample].values() if seat.chain[-1:] == favored]
        if new and new[0] not in chosen and len(chosen) < answers:
            chosen[new[0]] = sample
    fronts = {
        sample: dict(sorted(offers[sample].items(), key=lambda offer: offer[1].chain[-1:] != favored))
        for sample in chosen.values()
    }
    return {**offers, **fronts}


def _poor(seats: Iterable[Seat], limits: Limits) -> Mapping[Group, int]:
    """Return the last relations of seats that have too few answers, and how many they have."""
    answers: dict[Group, set[str]] = defaultdict(set)
    for relation, answer in limits.earlier:
        answers[relation,].add(answer)
    asked = set()
    for seat in seats:
        answers[seat.chain[-1:]].add(seat.answer)
        asked.add(seat.chain[-1:])
    return {relation: number for relation in asked if (number := len(answers[relation])) < limits.answers}


@dataclass(slots=True)
class _Plan:
    """Seats, filled by augmenting paths (Kuhn 1955) in nested groups.

    ``most`` is how often a group may have one answer, of which ``used`` are gone where it is the group of all; ``held``
    are the samples that have an answer in a group, and ``full`` the seats that can free no place.
    """

    offers: _Offers
    most: Mapping[Group, int]
    used: Mapping[str, int]
    place: dict[str, int] = field(default_factory=dict)
    held: dict[tuple[Group, str], dict[str, None]] = field(default_factory=dict)
    full: set[Seat] = field(default_factory=set)

    def seats(self) -> list[Seat]:
        """Return the seats that are taken."""
        return [self.offers[sample][place] for sample, place in self.place.items()]

    def serve(self, sample: str) -> None:
        """Give the sample the first of its seats that has, or can free, a place."""
        came: dict[Seat, tuple[str, int]] = {}
        wanted: dict[str, Seat | None] = {sample: None}
        queue = [sample]
        for name in queue:
            for place, seat in self.offers[name].items():
                if seat in came or seat in self.full:
                    continue
                came[seat] = name, place
                rivals = self._rivals(seat)
                if rivals is None:
                    self._take(seat, came, wanted)
                    return
                new = dict.fromkeys((rival for rival in rivals if rival not in wanted), seat)
                wanted |= new
                queue += new
        self.full |= came.keys()

    def _rivals(self, seat: Seat) -> Iterable[str] | None:
        """Return the samples of which one must give way before the seat has a place, None where it has one."""
        for group in seat.groups:
            held = self.held.get((group, seat.answer), {})
            gone = 0 if group else self.used.get(seat.answer, 0)
            if len(held) + gone >= self.most[group]:
                return held
        return None

    def _take(self, seat: Seat, came: Mapping[Seat, tuple[str, int]], wanted: Mapping[str, Seat | None]) -> None:
        """Take the free place, and move everyone on the way to it one seat on."""
        following: Seat | None = seat
        while following is not None:
            sample, place = came[following]
            if sample in self.place:
                before = self.offers[sample][self.place[sample]]
                for group in before.groups:
                    del self.held[group, before.answer][sample]
            self.place[sample] = place
            for group in following.groups:
                self.held.setdefault((group, following.answer), {})[sample] = None
            following = wanted[sample]
