"""The draw of one question per sample over a whole hop, so that relations, chains and answers vary.

1. Questions based on sourced facts come first, and among them those that can be extended, so that chains get longer.
2. The chain of relations with the fewest questions so far gets the next one; ties go to the chain whose last relation
   has the fewest.
3. Within a chain, the answer that its last relation has had least often comes next, for the sample that drew it
   earliest among its own candidates. Each sample gets one question.
4. No chain exceeds its share of the hop, and no answer its share of the last relation; a sample whose chains and
   answers are full gets no question. As shares refer to the kept questions, the draw is repeated until they hold. With
   fewer than sixteen questions, shares are meaningless and nothing is refused. A hop of too few chains for their share
   would shrink to that: there, the share of a chain is doubled, as often as needed.

So rare questions come first, common ones fill up the rest, and no single answer is a good guess.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from kbe_graph.checks.check import FilterSettings, Row
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage, seed_of

T = TypeVar("T")
Names = tuple[str, ...]
SMALL_HOP, SMALL_SHARE = 80, 0.125  # questions; the share of a chain in a hop of fewer
FEW = 16  # questions; an eighth of fewer is less than two
Choice = int | Decision
"""The index of the question that a sample gets, or the refusal if it gets none."""


class DrawEntry(NamedTuple):
    """A question that can be drawn: its answer and the relations of its ``chain`` (none if it is re-selected).

    ``onward`` is the number of hops that could follow; ``unsourced`` is True if its last fact has no source.
    """

    answer: str
    chain: tuple[str, ...] = ()
    onward: int = 0
    unsourced: bool = False

    @property
    def turn(self) -> tuple[bool, int]:
        """The sort key of the draw: sourced questions first, then those that can be extended furthest."""
        return self.unsourced, -self.onward

    @property
    def end(self) -> tuple[str, ...]:
        """The answer, followed by the last relation if there is one."""
        return (self.answer, *self.chain[-1:])


Choices = Mapping[str, Sequence[DrawEntry]]
"""The entries of each sample, in the order in which the sample drew them."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The largest share (up to 1) of a hop for one chain, and of a last relation for one answer."""

    chain: float = 1.0
    answer: float = 1.0

    def of_chain(self, questions: int) -> int:
        """Compute the most questions that one chain may have in a hop of ``questions``."""
        share = self.chain if questions >= SMALL_HOP else max(self.chain, SMALL_SHARE)
        return max(1, int(share * questions))

    def of_answer(self, questions: int) -> int:
        """Compute the most questions that one answer may have among ``questions`` with its last relation."""
        return max(1, int(self.answer * questions))


class Guessable:
    """Check that no chain, and no answer under its last relation, makes up too much of a hop."""

    name = "guessable"
    stage: Stage = "run"
    rule = (
        "no chain of relations may exceed its share of a hop, and no answer its share of the questions "
        "with the same last relation"
    )
    refused = Row("What vehicle is this?", "car", "car", "number of wheels", "four")
    passed = Row("What flag is that?", "japan", "japan", "capital", "Tokyo")

    def __init__(self, settings: FilterSettings) -> None:
        self._shares = Shares(settings.chain_share, settings.answer_share)

    def decide(self, candidates: Sequence[Candidate]) -> list[Decision]:
        """Decide on all questions of a hop; ties go to those that come first."""
        choices = {
            f"{place:09}": (DrawEntry(fold(candidate.fact.object), candidate.relations),)
            for place, candidate in enumerate(candidates)
        }
        chosen = choose(choices, self._shares)
        return [KEEP if isinstance(choice, int) else choice for choice in chosen.values()]


def choose(choices: Choices, shares: Shares) -> dict[str, Choice]:
    """Choose an entry for each sample, by its index, or a refusal if the shares leave none."""
    refusal = Decision(keep=False, reason=Guessable.name)
    chosen: dict[str, Choice] = dict.fromkeys((sample for sample, entries in choices.items() if entries), refusal)
    offers = sorted(
        (_Drawn(sample, place, entry) for sample, entries in choices.items() for place, entry in enumerate(entries)),
        key=lambda offer: (offer.entry.turn, offer.place, seed_of(offer.sample)),
    )
    drawn = _draw(offers, shares, Counter())
    if len(drawn) >= FEW:
        drawn = _draw_within(offers, shares, _sizes(drawn))
    return chosen | {each.sample: each.place for each in drawn}


class _Drawn(NamedTuple):
    sample: str
    place: int
    entry: DrawEntry


def _draw_within(offers: Sequence[_Drawn], shares: Shares, offered: Counter[str | None]) -> list[_Drawn]:
    """Draw until the shares hold; if too few chains leave fewer than ``FEW`` questions, each may have twice as much."""
    sizes, smaller, drawn = Counter[str | None](), offered, list[_Drawn]()
    while sizes != smaller:  # once no size shrinks any more, the shares hold
        sizes = smaller
        drawn = _draw(offers, shares, sizes)
        smaller = sizes & _sizes(drawn)
    if len(drawn) >= FEW or shares.chain >= 1:
        return drawn
    return _draw_within(offers, replace(shares, chain=2 * shares.chain), offered)


def _sizes(drawn: Sequence[_Drawn]) -> Counter[str | None]:
    """Count the questions of each last relation, and all of them under None."""
    return Counter([name for each in drawn for name in (None, _last(each.entry.chain))])


def _draw(offers: Iterable[_Drawn], shares: Shares, sizes: Counter[str | None]) -> list[_Drawn]:
    """Draw until no offer is left that the shares of these sizes allow; without sizes, they allow all."""
    draw = _Draw(shares, sizes)
    for _, alike in groupby(offers, key=lambda offer: offer.entry.turn):
        draw.take(alike)
    return draw.drawn


class _Draw:
    def __init__(self, shares: Shares, sizes: Counter[str | None]) -> None:
        self.drawn: list[_Drawn] = []
        self._shares, self._sizes = shares, sizes
        self._served: set[str] = set()
        self._chains, self._relations, self._ends = Counter[Names](), Counter[str](), Counter[Names]()

    def take(self, offers: Iterable[_Drawn]) -> None:
        waiting: dict[Names, dict[str, deque[_Drawn]]] = defaultdict(lambda: defaultdict(deque))
        for offer in offers:
            waiting[offer.entry.chain][offer.entry.answer].append(offer)
        turns = _Turns(waiting, lambda chain: (self._chains[chain], self._relations[_last(chain)], chain))
        within = {chain: self._answers_of(chain, queues) for chain, queues in waiting.items()}
        while (chain := turns.next()) is not None:
            if not self._is_full(chain) and (each := self._next(within[chain], waiting[chain])):
                self.drawn.append(each)
                self._served.add(each.sample)
                self._chains[chain] += 1
                self._relations[_last(chain)] += 1
                self._ends[each.entry.end] += 1
                turns.put(chain)

    def _answers_of(self, chain: Names, answers: Iterable[str]) -> "_Turns[str]":
        seeds = {answer: seed_of(answer) for answer in answers}
        return _Turns(seeds, lambda answer: (self._ends[answer, *chain[-1:]], seeds[answer], answer))

    def _next(self, answers: "_Turns[str]", queues: Mapping[str, deque[_Drawn]]) -> _Drawn | None:
        while (answer := answers.next()) is not None:
            queue = queues[answer]
            while queue and queue[0].sample in self._served:
                queue.popleft()
            if queue and not self._is_used_up(queue[0].entry):
                answers.put(answer)
                return queue.popleft()
        return None

    def _is_full(self, chain: Names) -> bool:
        return bool(self._sizes and chain) and self._chains[chain] >= self._shares.of_chain(self._sizes[None])

    def _is_used_up(self, entry: DrawEntry) -> bool:
        size = self._sizes[_last(entry.chain)]
        return bool(self._sizes) and self._ends[entry.end] >= self._shares.of_answer(size)


def _last(chain: tuple[str, ...]) -> str:
    return chain[-1] if chain else ""


class _Turns(Generic[T]):
    """A priority queue whose keys may grow over time; each key ends with its item."""

    def __init__(self, things: Iterable[T], key: Callable[[T], tuple[Any, ...]]) -> None:
        self._key = key
        self._heap = list(map(key, things))
        heapify(self._heap)

    def put(self, thing: T) -> None:
        """Add an item."""
        heappush(self._heap, self._key(thing))

    def next(self) -> T | None:
        """Remove and return the item with the smallest key; None if the queue is empty."""
        while self._heap:
            before = heappop(self._heap)
            thing: T = before[-1]
            if before == self._key(thing):
                return thing
            self.put(thing)
        return None
