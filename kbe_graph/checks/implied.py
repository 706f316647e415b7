"""What the words of a question imply without its image."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.checks.chain import kinds_in, nouns_in
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.concept import kinds_of
from kbe_graph.english.frequency import frequency
from kbe_graph.facts.walk import Walk

_KEPT = 1 << 9  # the same is asked again while one candidate is judged, hardly later
ANYTHING = ""
"""The kind of all things, where a question names none."""


class Implied(NamedTuple):
    """How surely a question's words imply an object (0 to 1), and by what."""

    share: float
    why: str


class _Led(NamedTuple):
    """Where each thing of a kind leads, and how many of the ways end where."""

    ends: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, int]


class Implications:
    """Objects that follow from what a question's words name.

    Either a kind, many of whose things lead to the object (dog, in "what breed of dog", to Carnivora), or whose things
    lead to few objects at all; or a thing whose own facts lead to the answer or a later object of the chain (cow, in
    "what is a baby cow called", to calf). Where no kind of the first answer is named, it may be anything that the pack
    tells the first relation of.
    """

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def strongest(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> Implied | None:
        """Return the surest way from the words to the last of the concepts, None where there is none.

        ``concepts`` are those of the chain that ``relations`` tie together; a kind of the second one is followed from
        the second relation on.
        """
        ways = (*self._by_things(text, concepts[:-1]), *self._by_kinds(text, concepts, relations))
        return max(ways, key=lambda implied: implied.share, default=None)

    def _by_things(self, text: str, concepts: tuple[str, ...]) -> Iterator[Implied]:
        for first, *_ in nouns_in(text):
            for concept in (concept for concept in concepts if concept in self._walk.distances(first, 1)):
                yield Implied(
                    1.0, f"{self._walk.label(first)!r} in the question leads to {self._walk.label(concept)!r}"
                )

    def _by_kinds(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> Iterator[Implied]:
        end = concepts[-1]
        if not self._walk.knows(relations[-1:]):
            return
        for place, concept in enumerate(concepts[:-1]):
            kinds = tuple(kinds_in(text, concept)) or (ANYTHING,) * (place == 0)
            yield from (self._by_kind(kind, concept, relations[place:], end) for kind in kinds)

    def _by_kind(self, kind: str, concept: str, relations: tuple[str, ...], end: str) -> Implied:
        what = repr(self._walk.label(kind)) if kind else "no kind that is named"
        objects = len(self._lead(kind, relations).counts)
        if 0 < objects < self._settings.blind_answers:  # of what the pack tells nothing of, nothing is known
            return Implied(1.0, f"what {what} admits gives no more than {objects} answers")
        share = self._share(kind, concept, relations, end)
        return Implied(share, f"{share:.0%} of what {what} admits gives {self._walk.label(end)!r}")

    def _share(self, kind: str, concept: str, relations: tuple[str, ...], end: str) -> float:
        if kind and end in self._walk.follow(kind, relations):
            return 1.0
        led = self._lead(kind, relations)
        own = led.ends.get(concept)
        others = len(led.ends) - (own is not None)
        if others < self._settings.blind_support:
            return 0.0
        return (led.counts[end] - (own or ()).count(end)) / others

    @lru_cache(1 << 14)  # noqa: B019
    def _lead(self, kind: str, relations: tuple[str, ...]) -> _Led:
        """Return where the things of a kind lead, those that lead anywhere: the common ones, if they are enough."""
        things = self._below(relations[0]).get(kind, ())
        common = [thing for thing in things if frequency(self._walk.pack.label(thing)) >= self._settings.blind_common]
        ends = self._ends(common, relations)
        if len(ends) <= self._settings.blind_support:
            ends = self._ends(things, relations)
        return _Led(ends, Counter(end for reached in ends.values() for end in reached))

    def _ends(self, things: Iterable[str], relations: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        return {thing: ends for thing in things if (ends := self._walk.follow(thing, relations))}

    @lru_cache(1 << 14)  # noqa: B019
    def _below(self, relation: str) -> Mapping[str, tuple[str, ...]]:
        """Return the things of each kind of which the pack tells a relation."""
        below: dict[str, list[str]] = {}
        for subject in self._subjects.get(relation, ()):
            for kind in kinds_of(subject):
                below.setdefault(kind, []).append(subject)
        return {kind: tuple(subjects) for kind, subjects in below.items()} | {
            ANYTHING: tuple(self._subjects.get(relation, ()))
        }

    @cached_property
    def _subjects(self) -> Mapping[str, Mapping[str, None]]:
        subjects: dict[str, dict[str, None]] = {}
        for fact in self._walk.pack.facts:
            subjects.setdefault(fact.relation, {})[fact.subject_id] = None
        return subjects
