"""Which question each sample gets, chosen over a whole hop, so that no guess pays and as many as can be are kept."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from kbe_graph.seeds import seed_of

Group = tuple[str, ...]
"""The questions with one chain of relations, or one last relation, or all of them (nothing).

Those that go on by one chain from questions that ask for one noun have the noun in front: "what animal".
"""
_KIND = "what "


class Following(NamedTuple):
    """A question that could follow another: its last relation, its answer, and how many hops could follow it."""

    relation: str
    answer: str
    hops: int = 0


class Onward(NamedTuple):
    """What could follow a question: how many hops, and the questions of the next one, where they are known."""

    hops: int = 0
    questions: tuple[Following, ...] = ()


NOTHING = Onward()


class Seat(NamedTuple):
    """What a question takes up in a run: its answer, among those that the relations of its ``chain`` lead to.

    ``sought`` is the noun that the question at the beginning of the chain asks for, ``topic`` the thing that it asks of
    (the country of a food), and ``first`` its answer. ``reselected`` says that it is a re-selected one, ``onward`` what
    could follow.
    """

    answer: str
    chain: Group = ()
    sought: str = ""
    topic: str = ""
    first: str = ""
    reselected: bool = False
    onward: Onward = NOTHING

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that it stands in, the narrowest first; each lies within the next.

        Questions for one noun are worded alike (the animal in this image), so what is asked on from them is a group.
        """
        alike = ((_KIND + self.sought, *self.chain),) if self.sought else ()
        return tuple(dict.fromkeys((*alike, self.chain, self.chain[-1:], ())))


Choices = Mapping[str, Sequence[Seat]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed of the questions kept.

    An answer may be that of ``share`` of all questions and always of ``floor``; within a chain of relations, within its
    last relation and among those alike that of ``group_share``, and always of one. A last relation with fewer different
    answers than ``answers`` is not asked. Nor are ``barred`` seats. ``earlier`` counts the questions of earlier hops by
    last relation and answer: they are questions as well, and their answers are answers of their relation.
    """

    share: float = 0.03
    floor: int = 3
    earlier: Mapping[tuple[str, str], int] = field(default_factory=dict)
    group_share: float = 1.0
    answers: int = 1
    barred: frozenset[Seat] = frozenset()

    def share_of(self, group: Group) -> tuple[float, int, int]:
        """Return the share of a group that an answer may have, what it may always have, and what it holds already."""
        if group:
            return self.group_share, 1, 0
        return self.share, self.floor, sum(self.earlier.values())

    @property
    def used(self) -> Counter[str]:
        """How often each answer was used in earlier hops."""
        used: Counter[str] = Counter()
        for (_, answer), count in self.earlier.items():
            used[answer] += count
        return used


def assign(choices: Choices, limits: Limits) -> dict[str, int | None]:
    """Return the place of the seat that each sample gets, None where none is left for it.

    ``choices`` are each sample's seats, the one drawn first in front. The more samples are served, the more questions
    could follow, themselves shared out so, and the nearer to the front, the better; of this the best is found but for a
    third of a per cent, by integer programming (HiGHS; Huangfu and Hall 2018), as how often an answer may stand depends
    on how many are kept. Which of the samples that have the same seats are served follows from their names alone.
    """
    offers: dict[_Offer, list[str]] = defaultdict(list)
    for sample in sorted(choices, key=seed_of):
        open_to = (seat for seat in choices[sample] if seat not in limits.barred)
        offers[tuple(dict.fromkeys(open_to))].append(sample)
    taken = _Program([(offer, len(offers[offer])) for offer in sorted(offers) if offer], limits).solve()
    places: dict[str, int | None] = dict.fromkeys(choices)
    for offer, samples in offers.items():
        served = iter(samples)
        for seat in offer:
            places |= {sample: choices[sample].index(seat) for sample in islice(served, taken[offer, seat])}
    return places


_Offer = tuple[Seat, ...]
"""The seats that some samples may have, the one drawn first in front."""


def _worth(seat: Seat, place: int) -> float:
    """Return what serving a sample with a seat is worth: a question, and part of those that could follow somehow."""
    unknown = 0 if seat.onward.questions else seat.onward.hops
    return 1 + _ONWARD * unknown - _BEHIND * min(place, _LAST)


_Terms = dict[int, float]
"""What each variable of a sum, by number, is multiplied by."""
_NEAR = 1e-9
_BEHIND, _LAST = 5e-2, 10  # what the next seat is worth less, up to this one
_ONWARD = 0.5  # what a hop that could follow is worth
_GAP = 3e-3  # part of the best that may be missed: else proving it takes long


class _Program:
    """The integer program of an assignment: how many samples with an offer take each seat of it."""

    def __init__(self, offers: Sequence[tuple[_Offer, int]], limits: Limits) -> None:
        self._limits = limits
        self._upper: list[float] = []
        self._worth: list[float] = []
        self._rows: list[tuple[_Terms, float]] = []
        self._taken: dict[tuple[_Offer, Seat], int] = {}
        held: dict[Group, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        possible: Counter[Group] = Counter()
        ahead: dict[Group, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for offer, samples in offers:
            takers = [self._variable(samples, _worth(seat, place)) for place, seat in enumerate(offer)]
            self._at_most(dict.fromkeys(takers, 1), samples)
            possible.update({group: samples for seat in offer for group in seat.groups})
            for seat, taker in zip(offer, takers, strict=True):
                self._taken[offer, seat] = taker
                for group in seat.groups:
                    held[group][seat.answer].append(taker)
                self._follow(seat, taker, samples, ahead)
        for group, takers_of in held.items():
            self._limit(group, takers_of, possible[group])
        for group, takers_of in ahead.items():
            self._limit(group, takers_of, self._room(chain(*takers_of.values())))

    def solve(self) -> Mapping[tuple[_Offer, Seat], int]:
        """Return how many samples with an offer take each seat of it."""
        if not self._taken:
            return Counter()
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        entries = [(row, column, value) for row, (terms, _) in enumerate(self._rows) for column, value in terms.items()]
        rows, columns, values = zip(*entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self._rows), len(self._upper)))
        solved = milp(
            [-worth for worth in self._worth],
            constraints=LinearConstraint(matrix, ub=[most for _, most in self._rows]),
            bounds=Bounds(0, self._upper),
            integrality=1,
            options={"mip_rel_gap": _GAP},
        )
        return {key: round(solved.x[number]) for key, number in self._taken.items()}

    def _variable(self, most: float, worth: float = 0.0) -> int:
        self._upper.append(most)
        self._worth.append(worth)
        return len(self._upper) - 1

    def _at_most(self, terms: _Terms, most: float) -> None:
        self._rows.append((terms, most))

    def _room(self, takers: Iterable[int]) -> float:
        """Return how many samples could be served by some takers at most."""
        return sum(self._upper[taker] for taker in takers)

    def _limit(self, group: Group, takers: Mapping[str, Sequence[int]], possible: float) -> None:
        """Share the answers of a group out; a last relation must have several.

        ``takers`` are the variables of each answer, ``possible`` is how many samples could stand in the group.
        """
        self._share(group, takers, possible)
        if len(group) == 1:
            self._several(group, takers)

    def _follow(self, seat: Seat, taker: int, samples: int, ahead: dict[Group, dict[str, list[int]]]) -> None:
        """Let each sample that takes a seat be asked one question that could follow, shared out as those of a hop are.

        ``ahead`` are the takers of the next hop by group and answer, to which those of the seat are added.
        """
        if not seat.onward.questions:
            return
        followers = []
        for relation, answer, hops in seat.onward.questions:
            follower = self._variable(samples, _ONWARD * (1 + hops))
            followers.append(follower)
            for group in seat._replace(answer=answer, chain=(*seat.chain, relation)).groups[:-1]:
                ahead[group][answer].append(follower)
        self._at_most({**dict.fromkeys(followers, 1), taker: -1}, 0)

    def _share(self, group: Group, takers: Mapping[str, Sequence[int]], possible: float) -> None:
        """Let no answer have more of a group than what is always allowed, or its share where that is more."""
        limits, used = self._limits, self._limits.used if not group else Counter[str]()
        share, always, others = limits.share_of(group)
        crowded = {
            answer: of_answer
            for answer, of_answer in takers.items()
            if share < 1 and self._room(of_answer) + used[answer] > always
        }
        if not crowded:
            return
        largest = int(share * (possible + others) + _NEAR)  # a bound that is no whole number misleads the solver
        most, is_shared = self._variable(max(largest, always)), self._variable(largest > always)
        members = dict.fromkeys(chain(*takers.values()), -share)
        self._at_most({most: 1, is_shared: -max(largest, always)}, always)
        self._at_most({most: 1, is_shared: always, **members}, share * others + always)
        for answer, of_answer in crowded.items():
            takers_of = dict.fromkeys(of_answer, 1)
            if used[answer] <= always:
                self._at_most({**takers_of, most: -1}, -used[answer])
                continue
            is_left = self._variable(1)  # what earlier hops used may be more than is allowed: then nothing is left
            self._at_most({**takers_of, is_left: used[answer], most: -1}, 0)
            self._at_most({**takers_of, is_left: -self._room(of_answer)}, 0)

    def _several(self, relation: Group, takers: Mapping[str, Sequence[int]]) -> None:
        """Let a relation be asked only where it has enough different answers."""
        earlier = {answer for name, answer in self._limits.earlier if (name,) == relation}
        wanted = self._limits.answers - len(earlier)
        if wanted <= 1:
            return
        is_asked, is_given = self._variable(1), dict[str, int]()
        for answer, of_answer in takers.items():
            self._at_most({**dict.fromkeys(of_answer, 1), is_asked: -self._room(of_answer)}, 0)
            if answer not in earlier:
                is_given[answer] = self._variable(1)
                self._at_most({is_given[answer]: 1, **dict.fromkeys(of_answer, -1)}, 0)
        self._at_most({is_asked: wanted, **dict.fromkeys(is_given.values(), -1)}, 0)
