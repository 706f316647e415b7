"""Grounding of proposed facts: compare a model's fact with known ones.

The subject is looked up by concept, or else by name; the relation by the content words of its name and phrases, or by a
synonym; the object by concept or any of its names. A known fact with another object contradicts the proposed one only
if the two cannot both be right: the objects are of the same sort, neither is a kind or a part of the other, the
relation is functional and ends in the same preposition, and no other known fact leads from the subject to the proposed
object.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.property import is_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import synset_of, words
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import Fact, KnowledgeSource, Question, Sample


@dataclass(frozen=True, slots=True)
class ProposedFact(Fact):
    """A fact proposed by a model: ``source`` is the model, ``source_ref`` the call.

    ``type`` is the object's type in one word; ``prompt`` the hash of the prompt; ``grounding`` the label from the known
    facts.
    """

    type: str = field(default="", compare=False)
    prompt: str = field(default="", compare=False)
    grounding: str = field(default="", compare=False)


Label = Literal["grounded", "contradicted", "unsupported"]
Content = frozenset[frozenset[str]]  # content words, each with its lemmas
Demand = Literal["require", "prefer", "report"]
# words that do not distinguish relations, in addition to those without lemmas
_LIGHT = frozenset(
    {
        *("belong", "call", "know", "name", "kind", "type", "typical", "usual", "main", "chief", "natural"),
        *("taxonomic", "biological", "scientific", "common", "use", "usually", "mainly", "get", "give", "come"),
    }
)


class Grounding:
    """A labeller that compares facts with those of a pack; look-ups are cached, so create one per run."""

    def __init__(self, pack: Pack) -> None:
        self._walk = Walk(pack)
        self._pack = pack

    def label(self, fact: ProposedFact) -> ProposedFact:
        """Label a fact; a grounded one takes the known object's concept and adds its other names as aliases."""
        label, same = self.look(fact)
        if same is None:
            return replace(fact, grounding=label)
        names = {fold(name): name for name in (*self._pack.aliases(same.object_id), same.object, *fact.aliases)}
        own = names.pop(fold(fact.object), fact.object)
        name = own if fact.object.isupper() else fact.object
        return replace(fact, grounding=label, object_id=same.object_id, object=name, aliases=tuple(names.values()))

    def look(self, fact: Fact) -> tuple[Label, Fact | None]:
        """Return the label of a fact, and the known fact that it repeats, if any."""
        facts = [other for subject in self._subjects(fact) for other in self._pack.facts_about(subject)]
        relations = self._relations(fold(fact.relation))
        stated = [other for other in facts if other.relation in relations]
        same = next((other for other in stated if self._same_object(fact, other)), None)
        if same is not None:
            return "grounded", same
        is_known = any(self._same_object(fact, other) for other in facts)
        rivals = not is_known and any(self._excludes(other, fact) for other in stated)
        return ("contradicted" if rivals else "unsupported"), None

    def facts_of(self, name: str, thing: str, names: Iterable[str] = ()) -> tuple[Fact, ...]:
        """Return the known facts about what a thing was recognised as; none if they may be about a namesake.

        A common noun must be a kind of the thing (COBRA of a tram is none), and what another of its names adds (FLORIDA
        to NAPLES) must be known of it. A name that several such concepts go by tells nothing.
        """
        concepts = [each for each in self._by_name.get(fold(name), ()) if self._fits(each, name, names)]
        kinds = [each for each in concepts if _is_of_kind(each, thing)]
        own = kinds or [each for each in concepts if (sense := synset_of(each)) is None or sense.instance]
        sources = [each.partition(":")[0] for each in own]  # one concept may go by an id of each
        is_one = len(sources) == len(set(sources))
        return tuple(fact for each in own for fact in self._pack.facts_about(each)) if is_one else ()

    def _fits(self, concept: str, name: str, names: Iterable[str]) -> bool:
        """Return True if the description, the kind or a fact of a concept has what longer names add to its name."""
        parts = [[part.strip() for part in re.split(r"[,()]", each) if part.strip()] for each in names]
        added = {part for first, *rest in filter(None, parts) if fold(first) == fold(name) for part in rest}
        sense, facts = synset_of(concept), self._pack.facts_about(concept)
        texts = [each for fact in facts for each in (fact.object, *self._pack.aliases(fact.object_id))]
        text = fold("; ".join([*texts, sense.gloss if sense else ""]))
        in_text = any(re.search(rf"\b{re.escape(fold(part))}\b", text) for part in added)
        return not added or in_text or any(_is_of_kind(concept, part) for part in added)

    def _excludes(self, other: Fact, fact: Fact) -> bool:
        relation = self._pack.relations[other.relation]
        return relation.functional and _ends_alike(fact.relation, relation) and _are_rivals(other, fact)

    def name_of(self, relation: str) -> str:
        """Return the pack's name for a relation in a model's words if it is unambiguous, otherwise those words."""
        names = self._relations(fold(relation))
        return next(iter(names)) if len(names) == 1 else relation

    @lru_cache(1 << 12)  # noqa: B019 - lives as long as its run
    def _relations(self, relation: str) -> frozenset[str]:
        """Return the pack's relations that these words mean: an exact name, or else those with the same content."""
        exact = {name for name in self._pack.relations if fold(name) == relation}
        content = _content(relation)
        alike = {
            name
            for name, contents in self._contents.items()
            if content and any(_alike(content, other) for other in contents)
        }
        return frozenset(exact or alike)

    @cached_property
    def _contents(self) -> Mapping[str, Sequence[Content]]:
        return {name: list(_meanings(relation)) for name, relation in self._pack.relations.items()}

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[str, ...]]:
        concepts_of: dict[str, dict[str, None]] = {}
        for fact in self._pack.facts:
            for name in (fact.subject, *self._pack.aliases(fact.subject_id)):
                concepts_of.setdefault(fold(name), {})[fact.subject_id] = None
        return {name: tuple(concepts) for name, concepts in concepts_of.items()}

    def _subjects(self, fact: Fact) -> Iterable[str]:
        facts = self._pack.facts_about(fact.subject_id)
        return (fact.subject_id,) if facts else self._by_name.get(fold(fact.subject), ())

    def _same_object(self, fact: Fact, other: Fact) -> bool:
        other_names = self._walk.names(other.object_id) | {fold(other.object)}
        names = {fold(name) for name in (fact.object, *fact.aliases)}
        return (
            fact.object_id == other.object_id or bool(names & other_names) or bool(_bases(names) & _bases(other_names))
        )


def _is_of_kind(concept: str, noun: str) -> bool:
    return synset_of(concept) is not None and is_kind(concept, noun)


def _are_rivals(fact: Fact, other: Fact) -> bool:
    sense, rival = (synset_of(each.object_id) or _first_sense(each.object) for each in (fact, other))
    if sense is None or rival is None:
        return True
    return sense.lexname == rival.lexname and not (_holds(sense, rival) or _holds(rival, sense))


def _holds(whole: Synset, part: Synset) -> bool:
    place = rf"\b(?:in|of) (?:the )?(?:[a-z]+ )?{re.escape(whole.lemmas[0])}\b"
    return whole.id in wordnet().hypernyms(part.id) or bool(
        whole.instance and re.search(place, part.gloss.partition('; "')[0])
    )


def _first_sense(name: str) -> Synset | None:
    return next(iter(wordnet().lookup(name).synsets), None)


def _ends_alike(text: str, relation: Relation) -> bool:
    last = _last_preposition(text)
    told_by = {_last_preposition(phrase) for phrase in (relation.name, *relation.phrases)}
    return not last or told_by == {""} or last in told_by


def _last_preposition(text: str) -> str:
    last = fold(text.replace("{}", " ")).split()[-1:]
    return next((word for word in last if word in words("prepositions")), "")


def _bases(names: Iterable[str]) -> set[tuple[str, ...]]:
    return {tuple(sorted(lemmas(name))) for name in names if name}


def _meanings(relation: Relation) -> Iterable[Content]:
    phrases = (phrase.replace("{}", " ") for phrase in relation.phrases)
    texts = (relation.name, *phrases, *relation.synonyms)
    return [content for text in texts if (content := _content(text))]


def say_same(relation: str, other: str) -> bool:
    """Return True if two relations have the same content words, or, if either has none, the same words.

    >>> say_same("is sleeping in", "sleeps in"), say_same("rests on", "is protected by")
    (True, False)
    """
    contents = _content(relation), _content(other)
    return _alike(*contents) if all(contents) else fold(relation) == fold(other)


def _content(text: str) -> Content:
    telling = ((word, lemmas(word)) for word in fold(text).split() if word not in _LIGHT)
    return frozenset(frozenset({word, *bases}) for word, bases in telling if not set(bases) <= _LIGHT)


def _alike(content: Content, other: Content) -> bool:
    return _covers(content, other) and _covers(other, content)


def _covers(content: Content, other: Content) -> bool:
    theirs = frozenset[str]().union(*other)
    return all(not base.isdisjoint(theirs) for base in content)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A knowledge source that labels the facts proposed by a model.

    With ``rename``, relations get the pack's names, which rules can word.
    """

    source: KnowledgeSource
    grounding: Grounding
    rename: bool = False

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Return the labelled facts; raises NoCandidate as the source does."""
        facts = await self.source.candidates(sample, question)
        labelled = [self.grounding.label(fact) if isinstance(fact, ProposedFact) else fact for fact in facts]
        if not self.rename:
            return labelled
        return [replace(fact, relation=self.grounding.name_of(fact.relation)) for fact in labelled]


def is_grounded(fact: Fact) -> bool:
    """Return True if a fact is known, or proposed and grounded."""
    return not isinstance(fact, ProposedFact) or fact.grounding == "grounded"
