"""What can answer a question with something taken away: the facts of a pack here; a model could, too."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from kbe_graph.checks.chain import Chain, nouns_in
from kbe_graph.checks.implied import Implications
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.facts.walk import Walk

_KEPT = 1 << 9  # the same is asked again while one candidate is judged, hardly later


@dataclass(frozen=True, slots=True)
class Given:
    """What a solver may use of a question.

    ``text`` are the words it may read, ``places`` those on the chain (0 is the first answer) whose objects are given
    away, ``last_fact`` says whether it may use the last hop's fact. The image is never shown: what it shows is given.
    """

    text: str = ""
    places: tuple[int, ...] = ()
    last_fact: bool = True


class Solver(Protocol):
    """Something that answers questions."""

    def answers(self, links: Chain, given: Given) -> frozenset[str]:
        """Return the folded names of the answers that follow from what is given; several where it cannot tell."""


class PackSolver:
    """Answers by a pack's facts: from what is given and what the words name, along any end of the question's relations.

    What a kind named in the words implies (``checks.blind``) is an answer too; and what is given may lead to the answer
    by any facts that are fewer than the chain's own. What was asked once is kept, so make one for a run.
    """

    def __init__(self, walk: Walk, implications: Implications, settings: FilterSettings) -> None:
        self._walk = walk
        self._implications = implications
        self._settings = settings

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def answers(self, links: Chain, given: Given) -> frozenset[str]:
        """Return the names of what the facts lead to."""
        ends = {end for place in given.places for end in self._from_given(links, place, last_fact=given.last_fact)}
        if given.text and given.last_fact:
            ends.update(self._from_words(given.text, links))
        return frozenset(name for end in ends for name in self._walk.names(end))

    def _from_given(self, links: Chain, place: int, *, last_fact: bool) -> Iterable[str]:
        concept, hops = links.concepts[place], len(links.relations) - place
        last = (links.concepts[-2], links.relations[-1], links.concepts[-1])
        for start in range(place, len(links.relations)):
            yield from self._walk.follow(concept, links.relations[start:], without=None if last_fact else last)
        if not last_fact:
            yield from self._walk.pack.reachable(concept, hops - 1)

    def _from_words(self, text: str, links: Chain) -> Iterable[str]:
        for senses in nouns_in(text) if self._walk.knows(links.relations[-1:]) else ():
            for start in range(len(links.relations)):
                yield from self._walk.follow(senses[0], links.relations[start:])
        implied = self._implications.strongest(text, links.concepts, links.relations)
        if implied is not None and implied.share >= self._settings.blind_share:
            yield links.concepts[-1]
