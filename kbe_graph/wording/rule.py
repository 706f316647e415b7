"""Rule-based proposals for a candidate's question: relation phrases around a noun phrase for the first answer.

Q_n = "What is the R_n of the R_n-1 of ... the breed of dog in this image?" (KBE, section 3.2, expression). No
intermediate object is named, and only the new relation is added to the previous question. The ``checks`` judge the
proposals.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kbe_graph.english.parse import ENGLISH, Parser
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.question import read
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Fact
from kbe_graph.wording.names import Names
from kbe_graph.wording.phrases import Wording, fill, fits, nest, phrases_for, question_of, relations_of, sentence
from kbe_graph.wording.reference import Phrase, Reference, fitting, refer
from kbe_graph.wording.reselected import ask

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
            reference = refer(read(candidate.sample.question, self.parser), candidate.question.root[-1].object)
        else:
            reference = ask(Names(candidate.graph), candidate.question.root).reference
        return reference

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Build a candidate's wordings from the phrases of a reference, the shortest first.

        Raises NoCandidate if a relation has no phrase.
        """
        return _by_length(self._nesting(candidate, reference))

    def is_free(self, candidate: Candidate) -> bool:  # noqa: ARG002 - an Expresser
        """Return True, as no model is asked."""
        return True

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
        *before, last = relations = relations_of(self.pack, candidate.relations)
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
