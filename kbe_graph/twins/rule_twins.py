"""Twins by rules: another picture whose graph, with sourced facts, gives one other answer to the same words.

The words of a question fix some things of its key by name, others by their kind, and leave the rest open. A picture
fits if its graph has the same edges between such things. A question whose words say more than its key has no twin by
rules, as nothing tells whether they hold of another picture.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kbe_graph.english.inflect import lemmas, singular
from kbe_graph.english.names import as_written, is_other_name, name_key
from kbe_graph.english.seen import Names, kind_of, sense_of
from kbe_graph.evolve.knowledge import Knowledge
from kbe_graph.evolve.shapes.by_rule import synonyms
from kbe_graph.facts.relation import relation_of
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Draft, DraftEdge, Entity, Fact, Question, Sample, SampleGraph, Triplet, twin_id

MORE_WORDS, NO_FIT, NOT_TOLD = "the words say more than the key", "no picture fits the words", "not told"
SEVERAL, SAME = "several answers fit", "same answer"
_OF_ANY = frozenset(
    (
        "picture",
        "image",
        "photo",
        "photograph",
        "show",
        "shown",
        "take",
        "taken",
        "kind",
        "place",
        "call",
        "make",
        "made",
    )
)
"""What the words may say that no edge tells: of the picture itself, and of asking."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A sample with its graph and the raw question that this leads to."""

    sample: Sample
    graph: SampleGraph
    raw: Question


class Refusal(ValueError):
    """Why a picture gives no twin: one of the reasons that are counted."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A way through the graph of a picture, and the fact that it ends with, if it is one."""

    key: tuple[Triplet, ...]
    things: Mapping[str, Entity]
    fact: Fact | None = None


@dataclass(frozen=True)
class RuleTwins:
    """The twins of one question; ``own`` is what its picture shows, ``knowledge`` the sourced facts."""

    question: Question
    own: Pictured
    knowledge: Knowledge

    def draft(self, other: Pictured) -> Draft:
        """Draft the twin on another picture. Raises Refusal."""
        ways = [way for things in self._fitting(other) for way in self._ways(other, things)]
        answers = {name_key(self._answer(each)) for each in ways}
        if not answers:
            raise Refusal(NOT_TOLD if any(self._fitting(other)) else NO_FIT)
        way = ways[0]
        if len(answers) > 1 or self._is_one_of_several(other, way):
            raise Refusal(SEVERAL)
        end, answer = way.things[self.question.end.key], self._answer(way)
        names = self._names(way.fact, end, answer)
        if any(is_other_name(mine, name) for mine in (self.question.answer, *self.question.aliases) for name in names):
            raise Refusal(SAME)
        others = tuple(name for name in dict.fromkeys(names) if fold(name) != fold(answer))
        question, sample = self.question, other.sample.id
        shape, edges = question.shape or question.kind, tuple(self._edges(other, way))
        twin = twin_id(sample, question)
        return Draft(sample, question.run, 0, shape, question.text, answer, edges, end, others, twin=twin)

    def unexplained(self) -> set[str]:
        """List the content words of the question that its key does not account for."""
        relations = self.knowledge.pack.relations
        explained = set(_OF_ANY)
        for triplet in self.question.key:
            explained |= {*lemmas(triplet.relation), *lemmas(triplet.object.name), *lemmas(kind_of(triplet.object))}
            if triplet.graph == "textual":
                relation = relation_of(relations, triplet.relation)
                explained |= {word for text in (*relation.phrases, *relation.forms) for word in lemmas(text)}
        explained |= {"people"} if "person" in explained else set()
        return {word for word in lemmas(self.question.text) if not {word, singular(word)} & explained}

    def _root(self) -> tuple[Triplet, ...]:
        pictured = {triplet.id for triplet in (*self.own.graph.visual, *self.own.graph.textual)}
        return tuple(triplet for triplet in self.question.key if triplet.id in pictured)

    def _facts(self) -> tuple[Triplet, ...]:
        return self.question.key[len(self._root()) :]

    def _fitting(self, other: Pictured) -> Iterator[dict[str, Entity]]:
        """Give the things of another picture that fit those of the key, by the keys of the latter."""
        graph = (*other.graph.visual, *other.graph.textual)
        ways: list[dict[str, Entity]] = [{IMAGE.key: IMAGE}]
        for triplet in self._root():
            ways = [
                {**way, triplet.object.key: each.object}
                for way in ways
                for each in graph
                if each.subject == way.get(triplet.subject.key)
                and (fold(each.relation), each.graph) == (fold(triplet.relation), triplet.graph)
                and self._is_alike(triplet, each, other)
                and way.get(triplet.object.key, each.object) == each.object
            ]
        yield from ways

    def _is_alike(self, triplet: Triplet, edge: Triplet, other: Pictured) -> bool:
        """Return True if the words hold of a thing as they do of that of the key."""
        mine, thing = triplet.object, edge.object
        if mine.noun != thing.noun or mine.name.islower() != thing.name.islower():
            return False
        is_shown = triplet.subject == IMAGE
        if is_shown and Names(self.own.graph).is_many(mine) != Names(other.graph).is_many(thing):
            return False
        if mine != self.question.end and self._is_said(mine.name):
            return name_key(mine.name) == name_key(thing.name)
        if kind_of(mine) and self._is_said(kind_of(mine)):
            return kind_of(mine) == kind_of(thing)
        return not is_shown or name_key(mine.name) == name_key(thing.name)

    def _is_said(self, name: str) -> bool:
        said = {singular(word) for word in lemmas(self.question.text)}
        return {singular(word) for word in lemmas(name)} <= said | ({"person"} if "people" in said else set())

    def _ways(self, other: Pictured, things: Mapping[str, Entity]) -> Iterator[_Way]:
        """Follow the facts of the key from other things; each must have one object."""
        key = [
            Triplet(things[each.subject.key], each.relation, things[each.object.key], each.graph)
            for each in self._root()
        ]
        shown = {each.id: each for each in (*other.graph.visual, *other.graph.textual)}
        key, things, fact = [shown[each.id] for each in key], dict(things), None
        for triplet in self._facts():
            facts = self.knowledge.pack.ask(self._concept(other, things[triplet.subject.key]), triplet.relation)
            if len(facts) != 1:
                return
            fact = facts[0]
            is_fixed = triplet.object != self.question.end and self._is_said(triplet.object.name)
            if is_fixed and name_key(triplet.object.name) != name_key(fact.object):
                return
            key.append(fact.triplet(things[triplet.subject.key]))
            things[triplet.object.key] = key[-1].object
        yield _Way(
            tuple(key), things, fact if self._facts() and self._facts()[-1].object == self.question.end else None
        )

    def _concept(self, other: Pictured, thing: Entity) -> str:
        if thing == other.raw.end:
            return other.raw.concept or self.knowledge.link(other.sample, other.graph, other.raw)
        return thing.concept or sense_of(thing)

    def _answer(self, way: _Way) -> str:
        return way.fact.object if way.fact else as_written(way.things[self.question.end.key].name)

    def _names(self, fact: Fact | None, end: Entity, answer: str) -> tuple[str, ...]:
        if fact is None:
            return (answer, *synonyms(sense_of(end), answer))
        return (answer, *fact.aliases, *self.knowledge.pack.aliases(fact.object_id))

    def _is_one_of_several(self, other: Pictured, way: _Way) -> bool:
        """Return True if the words tell a thing by its kind, and the picture shows another of that kind."""
        if self.question.shape == "select":
            return False
        for mine in (triplet.object for triplet in self._root()):
            thing, kind = way.things[mine.key], kind_of(mine)
            if kind and not self._is_said(mine.name) and self._is_said(kind):
                shown = (each.object for each in other.graph.visual if each.subject == IMAGE and each.object != thing)
                if any(kind_of(each) == kind and not is_other_name(each.name, thing.name) for each in shown):
                    return True
        return False

    def _edges(self, other: Pictured, way: _Way) -> Iterator[DraftEdge]:
        """Give the key of the twin with what the words fix of it, and the same facts of other things as rivals."""
        for mine, triplet in zip(self.question.key, way.key, strict=True):
            is_fixed = mine.object != self.question.end and self._is_said(mine.object.name)
            yield DraftEdge(triplet, fold(triplet.object.name) if is_fixed else "", is_seen=triplet.graph == "visual")
        used = {way.things[each.subject.key] for each in self._facts()}
        shown = dict.fromkeys(each.object for each in other.graph.visual if each.object.noun)
        for thing in shown if self._facts() else ():
            if thing not in used and thing != IMAGE:
                yield from self._rivals(thing, self._concept(other, thing))

    def _rivals(self, thing: Entity, concept: str) -> Iterable[DraftEdge]:
        for triplet in self._facts():
            for fact in self.knowledge.pack.ask(concept, triplet.relation):
                yield DraftEdge(fact.triplet(thing), rival=True)
