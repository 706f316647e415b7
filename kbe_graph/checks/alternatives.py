"""The other things that a picture could have shown under a question's words, and where the facts lead from them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.concept import kinds_of
from kbe_graph.english.frequency import frequency
from kbe_graph.facts.walk import Walk

ANYTHING = ""
"""The kind of all things, where a question names none."""


class Others(NamedTuple):
    """How many other things there are, how many of them have the relation, and how many of these the same object."""

    things: int
    related: int
    same: int


class _KindEnds(NamedTuple):
    """The things that a relation could be told of, and where those that have it lead."""

    things: frozenset[str]
    ends: Mapping[str, tuple[str, ...]]


class Alternatives:
    """Counts, by the facts of a run, what else the words of a question allow.

    What a source was never asked it does not deny: a thing counts where a source of the relation tells anything of it.
    Of a chain of relations the last one is judged, of what the others lead to. A count that a source itself made of all
    that it has of a kind (``Pack.counts``) goes before the facts at hand.
    """

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings

    def others(self, kind: str, concept: str, relations: Sequence[str], end: str) -> Others | None:
        """Return the counts for the other things of a kind than the concept, which the relations lead to the end.

        Where the kind is ``ANYTHING`` they are all things that have the first relation. None, for not known, where the
        facts lead from nothing of the kind to any end, or there are too few other things (``others_support``).
        """
        others = self._counted(kind, relations, end) or self._at_hand(kind, concept, tuple(relations), end)
        return others if others and others.things >= self._settings.others_support else None

    def _counted(self, kind: str, relations: Sequence[str], end: str) -> Others | None:
        """Return what the source counted, where it tells of this object: then this answer is among the things."""
        count = self._walk.pack.counts.get((kind, relations[0])) if len(relations) == 1 else None
        if count is None or end not in count.objects:
            return None
        return Others(count.things - 1, count.related - 1, count.objects[end] - 1)

    def _at_hand(self, kind: str, concept: str, relations: tuple[str, ...], end: str) -> Others | None:
        things, ends = self._ends(kind, relations)
        if not ends:
            return None
        same = sum(end in reached for thing, reached in ends.items() if thing != concept)
        return Others(len(things - {concept}), len(ends.keys() - {concept}), same)

    @lru_cache(1 << 14)  # noqa: B019 - lives as long as its run
    def _ends(self, kind: str, relations: tuple[str, ...]) -> _KindEnds:
        """Return where the things of a kind lead: the common ones, if they are enough and one leads to an end."""
        things = self._below.get(kind, ()) if kind else self._subjects.get(relations[0], ())
        common = [thing for thing in things if thing in self._common]
        of_common = self._ends_from(common, relations)
        enough = len(of_common.things) > self._settings.others_support and of_common.ends
        return of_common if enough else self._ends_from(things, relations)

    def _ends_from(self, things: Iterable[str], relations: tuple[str, ...]) -> _KindEnds:
        subjects = self._beside(relations[-1])
        near = {thing: self._walk.follow(thing, relations[:-1]) for thing in things}
        ends = {thing: reached for thing in near if (reached := self._walk.follow(thing, relations))}
        return _KindEnds(
            frozenset(ends).union(thing for thing, before in near.items() if subjects.intersection(before)), ends
        )

    @lru_cache(1 << 10)  # noqa: B019
    def _beside(self, relation: str) -> frozenset[str]:
        """Return all that the sources of a relation tell anything of."""
        sources = {fact.source for fact in self._walk.pack.facts if fact.relation == relation}
        return frozenset(fact.subject_id for fact in self._walk.pack.facts if fact.source in sources)

    @cached_property
    def _common(self) -> frozenset[str]:
        least = self._settings.others_common
        return frozenset(thing for thing in self._walk.pack.subjects if frequency(self._walk.label(thing)) >= least)

    @cached_property
    def _below(self) -> Mapping[str, Sequence[str]]:
        """Return the things of each kind that the pack tells anything of."""
        below: dict[str, list[str]] = {}
        for subject in self._walk.pack.subjects:
            for kind in kinds_of(subject)[1:]:
                below.setdefault(kind, []).append(subject)
        return below

    @cached_property
    def _subjects(self) -> Mapping[str, Mapping[str, None]]:
        """Return the things that the pack tells each relation of."""
        subjects: dict[str, dict[str, None]] = {}
        for fact in self._walk.pack.facts:
            subjects.setdefault(fact.relation, {})[fact.subject_id] = None
        return subjects
