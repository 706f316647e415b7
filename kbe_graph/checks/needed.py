"""The image and every hop must be needed: the answer must not follow without the one or the other.

They ask all facts, not the one that was drawn.
"""

from collections.abc import Iterator
from functools import lru_cache

from kbe_graph.checks.alternatives import ANYTHING, Alternatives
from kbe_graph.checks.chain import Chain, chain_with_fact, given_names, kinds_in, nouns_in
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT, WORDED
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_KEPT = 1 << 9  # the same is asked again while one candidate is judged, hardly later


class ImageNotNeeded:
    """Refuses what would be answered alike whatever the picture showed, as far as the question's words and facts tell.

    The counterfactual test: of the other things that the picture could have shown under the words, enough have the
    relation, and most with other objects. The other things are the common ones of a kind that the words name, or
    anything with the relation where they name none. Besides, nothing that the words name may lead to the answer.
    A question may pass and not need the image all the same: where the facts tell nothing of other things, it is kept.
    As a pack tells a relation of few of the things that have it, ``others_related`` asks for far less than most.
    """

    name = "image not needed"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "other things that the words allow must have the relation, most with other objects; "
        "nothing that the words name may lead to the answer"
    )
    columns = WORDED
    refused = CHAIN._replace(text="What is the capital of the United Kingdom, which borders the country on that flag?")
    passed = CHAIN._replace(text="What is the capital of the only country bordering the one on that flag?")

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings
        self._alternatives = Alternatives(walk, settings)

    def decide(self, candidate: Candidate) -> Decision:
        """Judge the words of the candidate; before there are any, those of the question before."""
        concepts, relations, _ = chain_with_fact(candidate)
        why = self._why(candidate.text or candidate.question.text, concepts, relations)
        return Decision(keep=False, reason=self.name, detail=why) if why else KEEP

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def _why(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> str:
        """Return why the image is not needed, empty where it is."""
        reasons = (*self._by_things(text, concepts, relations), *self._by_others(text, concepts, relations))
        return next(iter(reasons), "")

    def _by_things(self, text: str, concepts: tuple[str, ...], relations: tuple[str, ...]) -> Iterator[str]:
        """Follow what the words name: a thing to any concept of the chain, a kind of such a concept to the last."""
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
        """Compare with what the words allow in place of each concept of the chain but the last."""
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


class HopNotNeeded:
    """Refuses a question whose answer follows without its last fact from something earlier in the chain."""

    name = "hop not needed"
    stage: Stage = "question"
    reads: Reads = "question"
    rule = "no earlier thing of the chain may lead to the answer without the last fact"
    columns = FACT
    refused = CHAIN._replace(relation="continent", object="Europe")
    passed = CHAIN

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Give each earlier object away by turns."""
        right, links = right_names(candidate, self._walk), chain_with_fact(candidate)
        for place, name in enumerate(given_names(candidate)):
            if right & self._names_from(links, place):
                detail = f"{name} leads to the answer without the last fact"
                return Decision(keep=False, reason=self.name, detail=detail)
        return KEEP

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as its run
    def _names_from(self, links: Chain, place: int) -> frozenset[str]:
        """Return the names of all that a concept leads to without the last fact.

        By any end of the relations, or by any facts that are fewer than the chain's own.
        """
        concepts, relations, _ = links
        last = (concepts[-2], relations[-1], concepts[-1])
        ends = set(self._walk.pack.reachable(concepts[place], len(relations) - place - 1))
        for start in range(place, len(relations)):
            ends.update(self._walk.follow(concepts[place], relations[start:], without=last))
        return frozenset(name for end in ends for name in self._walk.names(end))


def right_names(candidate: Candidate, walk: Walk) -> frozenset[str]:
    """Return the folded names that are right answers to the question a candidate would become."""
    fact = candidate.fact
    return frozenset(map(fold, (fact.object, *fact.aliases, *walk.pack.aliases(fact.object_id))))
