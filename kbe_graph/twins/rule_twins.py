"""Twins by rules: another picture whose graph, with sourced facts, gives one other answer to the same words.

The words of a question fix some things of its key by name, others by their kind, and leave the rest open. A picture
fits if its graph has the same edges between such things. A question whose words say more than its key has no twin by
rules, as nothing tells whether they hold of another picture.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.english.inflect import lemmas, singular
from kbe_graph.english.names import as_written, is_other_name, name_key
from kbe_graph.english.seen import Names, kind_of, sense_of
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.knowledge import Knowledge
from kbe_graph.evolve.shapes.by_rule import synonyms
from kbe_graph.evolve.shapes.line import SEVERAL
from kbe_graph.facts.relation import relation_of
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Draft, DraftEdge, Entity, Identity, Question, Sample, SampleGraph, Triplet, twin_id

MORE_WORDS, NO_FIT, NOT_TOLD = "the words say more than the key", "no picture fits the words", "not told"
SAME = "same answer"


class Pictured(NamedTuple):
    """A sample with its graph, the raw question that this leads to, and what was recognised for sure."""

    sample: Sample
    graph: SampleGraph
    raw: Question
    identities: Sequence[Identity] = ()

    @property
    def edges(self) -> tuple[Triplet, ...]:
        """All triplets of the graph."""
        return (*self.graph.visual, *self.graph.textual)

    @property
    def things(self) -> list[Entity]:
        """The things that the picture shows."""
        return [each.object for each in self.graph.visual if each.subject == IMAGE and each.object.noun]


class Unfit(NoCandidate):
    """A picture gives no twin; ``reason`` is counted among the twins, not among the samples."""


def may_answer(question: Question, *names: str) -> bool:
    """Return True if one of these names may be the question's answer."""
    return any(may_be_same(mine, name) for mine in (question.answer, *question.aliases) for name in names)


def may_be_same(answer: str, other: str) -> bool:
    """Return True if two names may tell one thing, or one a broader thing: two kinds that share a word may differ.

    >>> may_be_same("Equus grevyi", "plains zebra")
    False
    >>> may_be_same("bear", "brown bear"), may_be_same("sofa", "couch"), may_be_same("brown bear", "black bear")
    (True, True, False)
    """
    names = lemmas(fold(answer)), lemmas(fold(other))
    mine, theirs = (" ".join(word for word in own if word not in rest) for own, rest in (names, names[::-1]))
    return not mine or not theirs or is_other_name(mine, theirs)


@dataclass(frozen=True)
class RuleTwins:
    """The twins of one question; ``own`` is what its picture shows, ``knowledge`` the sourced facts."""

    question: Question
    own: Pictured
    knowledge: Knowledge

    def draft(self, other: Pictured) -> Draft:
        """Draft the twin on another picture. Raises Unfit."""
        question, pack, keys = self.question, self.knowledge.pack, self._keys(other)
        place = next(number for number, each in enumerate(question.key) if each.object == question.end)
        ends = {name_key(key[place].object.name): key[place].object for key in keys}
        if len(ends) > 1 or self._is_one_of_several(other, keys[0]):
            raise Unfit(SEVERAL)
        (end,) = ends.values()
        is_seen = question.key[place] in self.own.edges
        answer = as_written(end.name) if is_seen else pack.label(end.concept)
        names = synonyms(sense_of(end), answer) if is_seen else pack.aliases(end.concept)
        if may_answer(question, answer, *names):
            raise Unfit(SAME)
        aliases = tuple(name for name in names if fold(name) != fold(answer))
        made = twin_id(other.sample.id, question)
        about = question.shape or question.kind, question.text, answer, tuple(self._edges(other, keys[0])), end, aliases
        return Draft(other.sample.id, question.run, 0, *about, twin=made)

    def unexplained(self) -> set[str]:
        """List the content words of the question that its key does not account for."""
        explained = set(words("of any picture"))
        for triplet in self.question.key:
            texts = [triplet.relation, triplet.object.name, kind_of(triplet.object)]
            if triplet.graph == "textual":
                relation = relation_of(self.knowledge.pack.relations, triplet.relation)
                texts += [*relation.phrases, *relation.forms]
            explained |= {word for text in texts for word in lemmas(text)}
        explained |= {"people"} if "person" in explained else set()
        return {word for word in lemmas(self.question.text) if not {word, singular(word)} & explained}

    def _keys(self, other: Pictured) -> list[tuple[Triplet, ...]]:
        """List the keys of another picture that the words fit. Raises Unfit."""
        ways: list[tuple[tuple[Triplet, ...], dict[str, Entity]]] = [((), {IMAGE.key: IMAGE})]
        for triplet in self.question.key:
            ways = [
                ((*key, edge), {**things, triplet.object.key: edge.object})
                for key, things in ways
                for edge in self._edges_like(triplet, things[triplet.subject.key], other)
                if things.get(triplet.object.key, edge.object) == edge.object
            ]
            if not ways:
                raise Unfit(NO_FIT if triplet in self.own.edges else NOT_TOLD)
        return [key for key, _ in ways]

    def _edges_like(self, triplet: Triplet, subject: Entity, other: Pictured) -> list[Triplet]:
        """List the edges of another picture that the words fit as they do that of the key; a fact has one object."""
        if triplet in self.own.edges:
            relation = fold(triplet.relation), triplet.graph
            own = [each for each in other.edges if (fold(each.relation), each.graph) == relation]
            return [each for each in own if each.subject == subject and self._is_alike(triplet, each.object, other)]
        word, facts = self._word(triplet.object), self._facts(other, subject, triplet)
        return facts if len(facts) == 1 and word in ("", name_key(facts[0].object.name)) else []

    def _facts(self, other: Pictured, thing: Entity, like: Triplet) -> list[Triplet]:
        is_end = thing == other.raw.end
        concept = (
            (is_end and (other.raw.concept or self.knowledge.link(other.sample, other.graph, other.raw)))
            or thing.concept
            or sense_of(thing)
        )
        return [fact.triplet(thing) for fact in self.knowledge.pack.ask(concept, like.relation)]

    def _is_alike(self, triplet: Triplet, thing: Entity, other: Pictured) -> bool:
        """Return True if the words hold of a thing as they do of that of the key."""
        mine, word, is_shown = triplet.object, self._word(triplet.object), triplet.subject == IMAGE
        if mine.noun != thing.noun or mine.name.islower() != thing.name.islower():
            return False
        if is_shown and Names(self.own.graph).is_many(mine) != Names(other.graph).is_many(thing):
            return False
        if not word and self._is_said(kind_of(mine)):
            return kind_of(mine) == kind_of(thing)
        return not (word or is_shown) or name_key(mine.name) == name_key(thing.name)

    def _word(self, thing: Entity) -> str:
        """Return the name that the words fix of a thing of the key, empty if they leave it open."""
        return name_key(thing.name) if thing != self.question.end and self._is_said(thing.name) else ""

    def _is_said(self, name: str) -> bool:
        words = {singular(word) for word in lemmas(self.question.text)}
        words |= {"person"} if "people" in words else set()
        return bool(name) and {singular(word) for word in lemmas(name)} <= words

    def _is_one_of_several(self, other: Pictured, key: tuple[Triplet, ...]) -> bool:
        """Return True if the words tell a thing by its kind, and the picture shows another of that kind."""
        for mine, edge in zip(self.question.key, key, strict=True):
            thing, kind = edge.object, kind_of(mine.object)
            if mine in self.own.edges and not self._word(mine.object) and self._is_said(kind):
                others = [each for each in other.things if kind_of(each) == kind and each != thing]
                if any(not is_other_name(each.name, thing.name) for each in others):
                    return self.question.shape != "select"
        return False

    def _edges(self, other: Pictured, key: tuple[Triplet, ...]) -> Iterator[DraftEdge]:
        """Give the key of the twin with what the words fix of it, and the same facts of other things as rivals."""
        for mine, edge in zip(self.question.key, key, strict=True):
            word = fold(edge.object.name) if self._word(mine.object) else ""
            yield DraftEdge(edge, word, is_seen=edge.graph == "visual")
        for edge in key:
            if edge not in other.edges:
                others = (each for each in other.things if each != edge.subject)
                yield from (DraftEdge(fact, rival=True) for each in others for fact in self._facts(other, each, edge))
