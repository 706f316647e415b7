"""Drafts by rules: the annotated things of a picture, sourced facts about them, and a template for each shape.

A draft is about a thing that the raw question is about. Its answer set, the same query as for a model's drafts,
decides whether it has one answer and needs each of its edges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import article
from kbe_graph.english.names import as_written
from kbe_graph.english.reference import Phrase, fill, sentence
from kbe_graph.english.seen import is_predicate, kind_of, sense_of
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import kinds_of, words
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation, phrases_for, question_of
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, PRESUPPOSED, Draft, DraftEdge, Entity, Fact, SampleGraph, Triplet

LEAST_SHARING = 4
"""Known things of a kind that share a fact, at least; with fewer, the words alone tell the thing."""


class PicturedThing(NamedTuple):
    """A thing that an annotation shows: its triplet from IMAGE, its kind, and its concept."""

    shown: Triplet
    kind: str
    concept: str

    @property
    def entity(self) -> Entity:
        """The node of the thing."""
        return self.shown.object


class Sharing:
    """How many things of the known facts share a fact."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack

    @cached_property
    def _subjects(self) -> Mapping[tuple[str, str], Sequence[str]]:
        subjects: dict[tuple[str, str], list[str]] = {}
        for fact in self.pack.facts:
            subjects.setdefault((fact.relation, fact.object_id), []).append(fact.subject_id)
        return subjects

    @lru_cache(1 << 12)  # noqa: B019 - lives as long as its run
    def count(self, relation: str, object_id: str, kind: str) -> int:
        """Count the things of a kind, by its noun, that have a fact."""
        above = {synset.id for synset in wordnet().synsets(kind)}
        return sum(not above.isdisjoint(kinds_of(subject)) for subject in self._subjects.get((relation, object_id), ()))


@dataclass(frozen=True, slots=True)
class RuleDrafts:
    """The drafts of one sample's graph; ``sharing`` holds the facts of the run."""

    graph: SampleGraph
    run: str
    sharing: Sharing

    def drafts(self) -> list[Draft]:
        """Draft a question of each shape for each thing that the raw question is about."""
        shapes = (self._selecting, self._joining)
        drafts = (draft for thing in self._about for shape in shapes for draft in shape(thing))
        texts = {draft.text: draft for draft in drafts}
        return [
            Draft(each.sample, each.run, number, each.shape, each.text, each.answer, each.edges, each.end, each.aliases)
            for number, each in enumerate(texts.values(), 1)
        ]

    @property
    def _things(self) -> list[PicturedThing]:
        shown = (each for each in self.graph.visual if each.subject == IMAGE and each.source != PRESUPPOSED)
        return [PicturedThing(each, kind_of(each.object), sense_of(each.object)) for each in shown if each.object.noun]

    @property
    def _about(self) -> list[PicturedThing]:
        """The things of the raw question's key, and those of the kind that it names."""
        ends = [end for triplet in self.graph.key for end in (triplet.subject, triplet.object) if end != IMAGE]
        named, concepts = {end.key for end in ends}, {sense_of(end) for end in ends if end.noun} - {""}
        things = self._things
        return [
            each for each in things if each.kind and (each.entity.key in named or concepts & {*kinds_of(each.concept)})
        ]

    def _peers(self, thing: PicturedThing) -> list[PicturedThing]:
        """List the things of the same kind; none if one of them may be the thing itself by another name."""
        peers = [each for each in self._things if each.kind == thing.kind and each.entity != thing.entity]
        is_clear = all(not {thing.concept, each.concept} & {*_above(thing), *_above(each)} for each in peers)
        return peers if is_clear else []

    def _facts(self, thing: PicturedThing) -> Iterator[tuple[Fact, Relation]]:
        """Give the facts of a thing that have one object and say nothing that the picture's words tell."""
        pack = self.sharing.pack
        for fact in pack.facts_about(thing.concept):
            relation = pack.relations[fact.relation]
            is_only = len(pack.ask(thing.concept, fact.relation)) == 1
            if is_only and not relation.protected and relation.family != "taxonomy":
                yield fact, relation

    def _rivals(self, thing: PicturedThing, relation: str) -> list[DraftEdge]:
        """Give the same facts of all other things that are shown."""
        others = [each for each in self._things if each.entity != thing.entity]
        facts = ((each, fact) for each in others for fact in self.sharing.pack.ask(each.concept, relation))
        return [DraftEdge(fact.triplet(each.entity), rival=True) for each, fact in facts]

    def _selecting(self, thing: PicturedThing) -> Iterator[Draft]:
        """Ask which of the things of a kind has a fact."""
        peers = self._peers(thing)
        for fact, relation in self._facts(thing) if peers else ():
            noun = _noun_of(relation)
            # what is not known of another thing may hold of it
            is_known = all(self.sharing.pack.ask(each.concept, fact.relation) for each in peers)
            if not noun or not is_known:
                continue
            if self.sharing.count(fact.relation, fact.object_id, thing.kind) < LEAST_SHARING:
                continue
            text = f"which {thing.kind} in this picture has {_object(fact)} as its {noun}"
            key = (DraftEdge(thing.shown, is_seen=True), DraftEdge(fact.triplet(thing.entity), word=fold(fact.object)))
            yield self._draft("select", text, (*key, *self._rivals(thing, fact.relation)), thing.entity)

    def _joining(self, thing: PicturedThing) -> Iterator[Draft]:
        """Ask a fact of the one thing of its kind that meets a seen condition."""
        peers = self._peers(thing)
        for condition in self._conditions(thing):
            phrase = _pointing(thing.kind, condition)
            for fact, relation in self._facts(thing) if peers else ():
                objects = {
                    other.object_id for each in peers for other in self.sharing.pack.ask(each.concept, fact.relation)
                }
                forms = phrases_for(relation, phrase) if relation.phrases else ()
                if not objects - {fact.object_id} or not forms:
                    continue
                key = (
                    DraftEdge(thing.shown, is_seen=True),
                    DraftEdge(condition, word=fold(condition.object.name), is_seen=True),
                    DraftEdge(fact.triplet(thing.entity)),
                )
                text = question_of(relation, fill(forms[0], phrase))
                end = fact.triplet(thing.entity).object
                yield self._draft("join", text, (*key, *self._rivals(thing, fact.relation)), end, fact)

    def _conditions(self, thing: PicturedThing) -> list[Triplet]:
        """List what is seen of a thing and of no other thing of its kind: an attribute, or where it is."""
        peers = {each.entity.key for each in self._peers(thing)}
        of_peers = {(each.relation, fold(each.object.name)) for each in self.graph.visual if each.subject.key in peers}
        own = (each for each in self.graph.visual if each.subject == thing.entity and each.object != IMAGE)
        return [
            each
            for each in own
            if (each.relation, fold(each.object.name)) not in of_peers
            and (_is_adjective(each.object.name) if each.object.name.islower() else is_predicate(each))
        ]

    def _draft(self, shape: str, text: str, edges: Sequence[DraftEdge], end: Entity, fact: Fact | None = None) -> Draft:
        answer = fact.object if fact else as_written(end.name)
        aliases = (
            (*fact.aliases, *self.sharing.pack.aliases(fact.object_id)) if fact else synonyms(sense_of(end), answer)
        )
        others = tuple(name for name in dict.fromkeys(aliases) if fold(name) != fold(answer))
        return Draft(self.graph.sample, self.run, 0, shape, sentence(text), answer, tuple(edges), end, others)


def _above(thing: PicturedThing) -> tuple[str, ...]:
    return wordnet().hypernyms(thing.concept) if thing.concept.startswith("wn30:") else ()


def _noun_of(relation: Relation) -> str:
    """Return the noun of a phrase such as "the capital of {}"; empty if the relation has none."""
    forms = (form for form in relation.phrases if form.startswith("the ") and form.endswith(" of {}"))
    return next((form[4:-6] for form in forms), "") if relation.opener == "what is" else ""


def _object(fact: Fact) -> str:
    return fact.object if fact.object[:1].isupper() else article(fact.object)


def _is_adjective(name: str) -> bool:
    return " " not in name and "a" in wordnet().counts(name) and name not in words("numbers")


def _pointing(kind: str, condition: Triplet) -> Phrase:
    name = condition.object.name.lower()
    if condition.object.name.islower():
        return Phrase(f"the {name} {kind} in this picture")
    return Phrase(f"the {kind} {condition.relation} the {name}")


def synonyms(concept: str, name: str) -> tuple[str, ...]:
    """List the other lemmas of a concept."""
    if not concept.startswith("wn30:"):
        return ()
    lemmas = (lemma.replace("_", " ") for lemma in wordnet().synset(concept).lemmas)
    return tuple(lemma for lemma in lemmas if fold(lemma) != fold(name))
