"""What the words of a question imply without its image."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from kbe_graph.filters.chain import kinds_named, named
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.concept import kinds_of
from kbe_graph.lexicon.frequency import frequency


class Implied(NamedTuple):
    """How surely a question's words imply an object (0 to 1), and by what."""

    share: float
    why: str


class Implications:
    """Objects that follow from what a question's words name.

    Either a kind, most of whose things lead to the object (dog, in "what breed of dog", to Carnivora), or a thing whose own facts
    lead to the answer or a later object of the chain (cow, in "what is a baby cow called", to calf).
    """

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings

    def strongest(self, text: str, concepts: Sequence[str], relations: Sequence[str]) -> Implied | None:
        """Return the surest way from the words to the last of the concepts, None where there is none.

        ``concepts`` are those of the chain that ``relations`` tie together; a kind of the second one is followed from the
        second relation on.
        """
        ways = (*self._by_things(text, concepts[:-1]), *self._by_kinds(text, concepts, tuple(relations)))
        return max(ways, key=lambda one: one.share, default=None)

    def _by_things(self, text: str, concepts: Sequence[str]) -> Iterator[Implied]:
        for first, *_ in named(text):
            for concept in (one for one in concepts if one in self._walk.distances(first, 1)):
                yield Implied(
                    1.0, f"{self._walk.label(first)!r} in the question leads to {self._walk.label(concept)!r}"
                )

    def _by_kinds(self, text: str, concepts: Sequence[str], relations: tuple[str, ...]) -> Iterator[Implied]:
        end = concepts[-1]
        for place, concept in enumerate(concepts[:-1]):
            for kind in kinds_named(text, concept):
                share = self._share(kind, concept, relations[place:], end)
                yield Implied(
                    share, f"{share:.0%} of what {self._walk.label(kind)!r} admits gives {self._walk.label(end)!r}"
                )

    def _share(self, kind: str, concept: str, relations: tuple[str, ...], end: str) -> float:
        if end in self._walk.follow(kind, relations):
            return 1.0
        ends = self._ends(kind, relations)
        others = {one: there for one, there in ends.items() if one != concept}
        if len(others) < self._settings.blind_support:
            return 0.0
        return Counter(there for some in others.values() for there in some)[end] / len(others)

    @cache  # noqa: B019 - lives as long as its run
    def _ends(self, kind: str, relations: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """Return where the things of a kind lead, those that lead anywhere: the common ones, if they are enough."""
        things = self._below(relations[0]).get(kind, ())
        common = [one for one in things if frequency(self._walk.pack.label(one)) >= self._settings.blind_common]
        found = self._led(common, relations)
        return found if len(found) > self._settings.blind_support else self._led(things, relations)

    def _led(self, things: Sequence[str], relations: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        ends = {one: self._walk.follow(one, relations) for one in things}
        return {one: there for one, there in ends.items() if there}

    @cache  # noqa: B019
    def _below(self, relation: str) -> Mapping[str, tuple[str, ...]]:
        """Return the things of each kind of which the pack tells a relation."""
        found: dict[str, list[str]] = {}
        for subject in self._told.get(relation, ()):
            for kind in kinds_of(subject):
                found.setdefault(kind, []).append(subject)
        return {kind: tuple(subjects) for kind, subjects in found.items()}

    @cached_property
    def _told(self) -> Mapping[str, Mapping[str, None]]:
        found: dict[str, dict[str, None]] = {}
        for fact in self._walk.pack.facts:
            found.setdefault(fact.relation, {})[fact.subject_id] = None
        return found
