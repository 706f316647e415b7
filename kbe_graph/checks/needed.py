"""Checks against other facts: the image and every hop must be needed, and only one answer may be right."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from kbe_graph.checks.chain import Chain, chain_with_fact, first_sense, given_names, kinds_in, nouns_in
from kbe_graph.checks.check import CHAIN, FactCheck, FilterSettings, Reads, WordsCheck
from kbe_graph.english.words import frequency, kinds_of
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import Candidate

ANYTHING = ""
"""Stands for every kind, if a question names none."""


class Others(NamedTuple):
    """Counts of the other entities, of those that have the relation, and of those that share the object."""

    things: int
    related: int
    same: int


class _KindEnds(NamedTuple):
    """The entities that a relation may apply to, and the objects that it leads to."""

    things: frozenset[str]
    ends: Mapping[str, tuple[str, ...]]


class Alternatives:
    """Counts of the other entities that a question's words allow, based on the facts of a run.

    A missing fact does not mean that it is false: an entity counts only if a source of the relation has any fact about
    it. In a chain of relations, the last one is judged, over the entities that the others lead to.
    """

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings

    def others(self, kind: str, concept: str, relations: Sequence[str], end: str) -> Others | None:
        """Count the entities of ``kind`` other than ``concept``, and those that ``relations`` lead to ``end``.

        With ``ANYTHING`` as the kind, all entities with the first relation count. Returns None (unknown) if the facts
        lead from no entity of the kind to any object, or if there are too few other entities (``others_support``).
        """
        things, ends = self._ends(kind, tuple(relations))
        others = len(things - {concept})
        if not ends or others < self._settings.others_support:
            return None
        same = sum(end in reached for thing, reached in ends.items() if thing != concept)
        return Others(others, len(ends.keys() - {concept}), same)

    @lru_cache(1 << 14)  # noqa: B019 - lives as long as its run
    def _ends(self, kind: str, relations: tuple[str, ...]) -> _KindEnds:
        """Find the objects reached from the common entities of a kind, or from all of them if too few are common."""
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
        """Collect every subject that the sources of a relation have facts about."""
        sources = {fact.source for fact in self._walk.pack.facts if fact.relation == relation}
        return frozenset(fact.subject_id for fact in self._walk.pack.facts if fact.source in sources)

    @cached_property
    def _common(self) -> frozenset[str]:
        least = self._settings.others_common
        return frozenset(thing for thing in self._walk.pack.subjects if frequency(self._walk.label(thing)) >= least)

    @cached_property
    def _below(self) -> Mapping[str, Sequence[str]]:
        """The subjects of the pack, by each of their hypernyms."""
        below: dict[str, list[str]] = {}
        for subject in self._walk.pack.subjects:
            for kind in kinds_of(subject)[1:]:
                below.setdefault(kind, []).append(subject)
        return below

    @cached_property
    def _subjects(self) -> Mapping[str, Mapping[str, None]]:
        """The subjects of the pack, by relation."""
        subjects: dict[str, dict[str, None]] = {}
        for fact in self._walk.pack.facts:
            subjects.setdefault(fact.relation, {})[fact.subject_id] = None
        return subjects


_KEPT = 1 << 9  # results are reused while one candidate is judged, hardly later


class ImageNotNeeded(FactCheck):
    """Check that the answer depends on what the image shows, as far as the words and the facts can tell.

    The counterfactual test: of the other entities that the image could have shown under the same words, enough must
    have the relation, and most must have another object. The other entities are the common ones of a kind that the
    words name, or any with the relation if the words name no kind. Also, nothing that the words name may lead to the
    answer. A question can pass without needing the image: if the facts say nothing about other entities, it is kept.
    ``others_related`` is well below one half, as a pack has a relation for only a few of the entities that it holds
    for.
    """

    name = "image not needed"
    rule = (
        "other things that fit the words must have the relation too, most of them with a different object; "
        "nothing that the words name may lead to the answer"
    )
    refused = CHAIN._replace(text="What is the capital of the United Kingdom, which borders the country on that flag?")
    passed = CHAIN._replace(text="What is the capital of the only country bordering the one on that flag?")

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings
        self._alternatives = Alternatives(walk, settings)

    def _fault(self, candidate: Candidate) -> str | None:
        concepts, relations, _ = chain_with_fact(candidate)
        return self._why(candidate.text or candidate.question.text, concepts, relations)

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def _why(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> str | None:
        """Explain why the image is not needed; None if it is needed."""
        asked = (text, concepts, relations)
        return next(chain(self._by_things(*asked), self._by_others(*asked)), None)

    def _by_things(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> Iterator[str]:
        end = concepts[-1]
        for thing, *_ in nouns_in(text):
            near = self._walk.distances(thing, 1)
            yield from (self._leads(thing, concept) for concept in concepts[:-1] if concept in near)
        kinds = (kind for concept in concepts[:-1] for kind in kinds_in(text, concept))
        for thing in dict.fromkeys((*(thing for thing, *_ in nouns_in(text)), *kinds)):
            if any(end in self._walk.follow(thing, relations[start:]) for start in range(len(relations))):
                yield self._leads(thing, end)

    def _leads(self, thing: str, concept: str) -> str:
        return f"{self._walk.label(thing)!r} in the question leads to {self._walk.label(concept)!r}"

    def _by_others(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> Iterator[str]:
        for place, concept in enumerate(concepts[:-1]):
            asked = relations[place:]
            kinds = tuple(kinds_in(text, concept)) or (ANYTHING,) * (place == 0)
            for kind in kinds if self._walk.knows(asked) else ():
                others = self._alternatives.others(kind, concept, asked, concepts[-1])
                name = repr(self._walk.label(kind)) if kind else "anything"
                if others and others.related < self._settings.others_related * others.things:
                    yield f"only {others.related} of {others.things} other things of {name} have the relation"
                elif others and others.same >= self._settings.others_same * others.related:
                    label = repr(self._walk.label(concepts[-1]))
                    yield f"{others.same} of {others.related} other things of {name} lead to {label}"


class HopNotNeeded(WordsCheck):
    """Check that the answer does not follow from an earlier entity of the chain without the last fact."""

    name = "hop not needed"
    reads: Reads = "question"
    rule = "nothing earlier in the chain may lead to the answer without the last fact"
    refused = CHAIN._replace(relation="continent", object="Europe")
    passed = CHAIN

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def _fault(self, candidate: Candidate) -> str | None:
        right, links = right_names(candidate, self._walk), chain_with_fact(candidate)
        for place, name in enumerate(given_names(candidate)):
            if right & self._names_from(links, place):
                return f"{name} leads to the answer without the last fact"
        return None

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def _names_from(self, links: Chain, place: int) -> frozenset[str]:
        """Collect the names of everything that a concept leads to without the last fact.

        It may follow the end of the chain's relations, or any facts in fewer hops than the chain.
        """
        concepts, relations, _ = links
        last = (concepts[-2], relations[-1], concepts[-1])
        ends = set(self._walk.pack.reachable(concepts[place], len(relations) - place - 1))
        for start in range(place, len(relations)):
            ends.update(self._walk.follow(concepts[place], relations[start:], without=last))
        return frozenset(name for end in ends for name in self._walk.names(end))


def right_names(candidate: Candidate, walk: Walk) -> frozenset[str]:
    """Collect the folded names that would be right answers to a candidate's question."""
    fact = candidate.fact
    return frozenset(map(fold, (fact.object, *fact.aliases, *walk.pack.aliases(fact.object_id))))


class SeveralAnswers(WordsCheck):
    """Check that the key path leads to its answer and to nothing else.

    The first answer may be ambiguous if the benchmark's annotators disagree (pigeon, dove). If the facts about their
    answers diverge, the question has several answers.
    """

    name = "several answers"
    reads: Reads = "question"
    rule = "followed over all facts from every answer that people gave, the key path must lead to the answer only"
    refused = HopNotNeeded.passed._replace(relation="continent", object="Asia")
    passed = HopNotNeeded.passed

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def _fault(self, candidate: Candidate) -> str | None:
        right, links = right_names(candidate, self._walk), chain_with_fact(candidate)
        right |= self._walk.names(links.concepts[-1])
        wrong = [
            self._walk.label(end) for end in self._ends(links, _others(candidate)) if not right & self._walk.names(end)
        ]
        if wrong or not self._walk.follow(links.concepts[0], links.relations):
            return f"the facts lead to {', '.join(dict.fromkeys(wrong)) or 'nothing'}"
        return None

    @lru_cache(1 << 13)  # noqa: B019 - lives as long as its run
    def _ends(self, links: Chain, others: tuple[str, ...]) -> tuple[str, ...]:
        starts = (links.concepts[0], *others)
        return tuple(end for start in starts for end in self._walk.follow(start, links.relations))


def _others(candidate: Candidate) -> tuple[str, ...]:
    question = candidate.question
    names = (*question.aliases, *candidate.sample.agreed) if question.kind == "raw" else ()
    return tuple(concept for name in dict.fromkeys(names) if (concept := first_sense(name)))
