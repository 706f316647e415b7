"""Rule-based proposals for a candidate's question: relation phrases around a noun phrase for the first answer.

Q_n = "What is the R_n of the R_n-1 of ... the breed of dog in this image?" (KBE, section 3.2, expression). No
intermediate object is named, and only the new relation is added to the previous question. The ``checks`` judge the
proposals.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kbe_graph.english.inflect import singular
from kbe_graph.english.parse import ENGLISH, Parser
from kbe_graph.english.reading import read
from kbe_graph.english.reference import Phrase, Reference, Wording, fill, fits, refer, sentence
from kbe_graph.english.seen import Names, ask, kind_of
from kbe_graph.english.words import kind, kinds_of
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation, phrases_for, question_of, relation_of
from kbe_graph.facts.wikidata.closure import is_item
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Entity, Fact

_IN_KINGDOM = {"England", "Scotland", "Wales"}
_KINGDOM = ("United Kingdom", "Great Britain", "UK")


@dataclass(frozen=True)
class RuleExpresser:
    """An expresser that words questions without a model.

    ``parser`` parses and tags questions, with or without spaCy's model.
    """

    pack: Pack
    parser: Parser = ENGLISH

    def forms(self, candidate: Candidate) -> tuple[Callable[[Candidate], Reference], ...]:  # noqa: ARG002 - an Expresser
        """List the only way to refer to the first answer: a noun phrase."""
        return (self.noun_phrase,)

    def noun_phrase(self, candidate: Candidate) -> Reference:
        """Build the noun phrases for the first answer. Raises NoCandidate if there is none."""
        if candidate.from_raw:
            reference = refer(
                read(candidate.sample.question, self.parser), self._noun(candidate.question.root[-1].object)
            )
        else:
            reference = ask(Names(candidate.graph), candidate.question.root).reference
        return reference

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Build a candidate's wordings from the phrases of a reference, the shortest first.

        Raises NoCandidate if a relation has no phrase.
        """
        return _by_length(self._nesting(candidate, reference))

    def _noun(self, answer: Entity) -> str:
        """Choose the noun for an answer's kind: what its item is an instance of, not what its name may mean."""
        return self.pack.nouns.get(answer.concept, "") if is_item(answer.concept) else kind_of(answer)

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """List the other correct names of a fact's object, from the fact and from the pack.

        England, Scotland and Wales also count as the United Kingdom.
        """
        whole = _KINGDOM if fact.object in _IN_KINGDOM else ()
        right = (fact.object, *fact.aliases, *self.pack.aliases(fact.object_id), *whole)
        names = {fold(name): name for name in reversed(right)}
        names.pop(fold(fact.object))
        return tuple(reversed(names.values()))

    def _nesting(self, candidate: Candidate, reference: Reference) -> Iterator[tuple[str, str]]:
        *before, last = relations = [relation_of(self.pack.relations, name) for name in candidate.relations]
        subjects = fitting(reference.phrases, candidate.question.root[-1].object.concept, relations[0])
        for inner in nest(before, subjects):
            yield from self._asking(inner, last, reference.rule)

    def _asking(self, inner: Phrase, relation: Relation, rule: str) -> Iterator[tuple[str, str]]:
        for place, form in enumerate(phrases_for(relation, inner)):
            plain = question_of(relation, fill(form, inner))
            if plain:
                yield plain, f"{rule}/phrase {place}"
        for place, form in enumerate(relation.forms):
            if fits(form, inner):
                yield fill(form, inner).text, f"{rule}/form {place}"


def _by_length(forms: Iterable[tuple[str, str]]) -> list[Wording]:
    texts: dict[str, str] = {}
    for form, pattern in forms:
        texts.setdefault(sentence(form), pattern)
    wordings = (Wording(text, pattern, len(text.split())) for text, pattern in texts.items())
    return sorted(wordings, key=lambda wording: (wording.off, wording.text))


def nest(relations: Sequence[Relation], subjects: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield each subject inside the phrases of the relations, the first relation innermost."""
    if not relations:
        yield from subjects
        return
    for inner in nest(relations[:-1], subjects):
        yield from (fill(form, inner) for form in phrases_for(relations[-1], inner))


_LEVELS = ("continent", "country", "state", "city")
_OF_FIRM = re.compile(r"\b(?:brand|company|airline|maker|manufacturer|team|restaurant|store)\b")
_OF_SPORT = re.compile(r"\b(?:sport|game)\b")
_ANY_PLACE = re.compile(r"^this (place|continent|country|nation|state|us state|city)$", re.IGNORECASE)


def fitting(phrases: Sequence[Phrase], concept: str, relation: Relation) -> tuple[Phrase, ...]:
    """Select or adapt the phrases for an answer to a relation asked about it.

    A picture does not show a whole country, so that "this country" is the one where it was taken.
    """
    if relation.asked_of == "kind":
        return tuple(Phrase(_of_kind(phrase), plural=False) for phrase in phrases)
    if relation.asked_of == "place":
        return tuple(Phrase(_ANY_PLACE.sub(_where_taken(concept), text), plural) for text, plural in phrases)
    if relation.asked_of in {"firm", "sport"}:
        pattern = _OF_SPORT if relation.asked_of == "sport" else _OF_FIRM
        return tuple(phrase for phrase in phrases if pattern.search(phrase.text))
    return tuple(phrase for phrase in phrases if not (phrase.plural and relation.asked_of == "one"))


def _of_kind(phrase: Phrase) -> str:
    determiner, _, rest = phrase.text.partition(" ")
    if phrase.plural or determiner != "this":
        return phrase.text
    return f"this kind of {singular(rest)}"


def _where_taken(concept: str) -> str:
    level = next((level for above in kinds_of(concept) for level in _LEVELS if above in kind(level)), r"\1")
    return f"the {level} where this picture was taken"
