"""One candidate: from what may be said to the question that is drawn (KBE, section 3.2, expression).

The expresser proposes how the first answer may be called, and then wordings around it; the checks judge both, and one
of the wordings that are left is drawn.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kbe_graph.checks.question_text import Flaw
from kbe_graph.english.inflect import singular
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.recipe import Form, Recipe
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Decision, Provenance, Question, question_id
from kbe_graph.wording.phrases import Wording
from kbe_graph.wording.predicate import NONE
from kbe_graph.wording.reference import Reference, variants

# Refusals that say nothing against the question, only against one way to speak of its first answer.
_OF_ONE_FORM = {NONE, Flaw.name}
_NEAR = 1.5  # words


@dataclass(frozen=True, slots=True)
class Expression:
    """Words candidates for a run by its recipe."""

    recipe: Recipe
    run: str

    async def question(self, candidate: Candidate, seed: int) -> Question | Decision:
        """Return the question of the next hop, or the refusal of the candidate; the seed draws one of its wordings."""
        wording = await self._wording(candidate, seed)
        if isinstance(wording, Decision):
            return wording
        decision = self.recipe.checks.decide("question", replace(candidate, text=wording.text))
        return self._made(candidate, wording, seed) if decision.keep else decision

    async def _wording(self, candidate: Candidate, seed: int) -> Wording | Decision:
        """Return a wording by the first form that has one; another form is tried if a refusal is of the form alone."""
        first: Decision | None = None
        for form in self.recipe.expresser.forms(candidate):
            try:
                near = await self._by_form(candidate, form)
            except NoCandidate as none:
                near = Decision(keep=False, reason=none.reason, detail=none.detail)
            if not isinstance(near, Decision):
                return random.Random(seed).choice(near)
            first = first or near
            if near.reason not in _OF_ONE_FORM:
                break
        return first or Decision(keep=False, reason=NONE)

    async def _by_form(self, candidate: Candidate, form: Form) -> Sequence[Wording] | Decision:
        reference = form(candidate)
        called = replace(candidate, called=_texts(reference), pattern=reference.rule)
        decision = self.recipe.checks.decide("reference", called)
        if not decision.keep:
            return decision
        varied = replace(reference, phrases=variants(reference))
        return self._best(called, await self.recipe.expresser.wordings(candidate, varied))

    def _best(self, called: Candidate, wordings: Sequence[Wording]) -> Sequence[Wording] | Decision:
        """Return the best wordings that pass; where none does, the refusal of the last."""
        near: list[Wording] = []
        refusal = Decision(keep=False, reason=NONE)
        for wording in wordings:
            if near and wording.off > near[0].off + _NEAR:
                break
            decision = self.recipe.checks.decide("text", replace(called, text=wording.text))
            if decision.keep:
                near.append(wording)
            else:
                refusal = decision
        return near or refusal

    def _made(self, candidate: Candidate, wording: Wording, seed: int) -> Question:
        parent, fact, hop = candidate.question, candidate.fact, candidate.question.hop + 1
        return Question(
            id=question_id(parent.sample, self.run, hop),
            sample=parent.sample,
            run=self.run,
            hop=hop,
            kind="explored",
            text=wording.text,
            answer=fact.object,
            key=(*parent.key, fact.triplet(parent.end)),
            aliases=tuple(_new_names(parent, self.recipe.expresser.aliases(fact))),
            concept=fact.object_id,
            parent=parent.id,
            provenance=_provenance(candidate, wording, seed),
        )


def _new_names(parent: Question, names: Iterable[str]) -> Iterator[str]:
    """Give the names that name nothing on the way: a family is no right answer by the name of its bird, the seagull."""
    things = (entity.name for triplet in parent.key for entity in (triplet.subject, triplet.object))
    way = {singular(fold(name)) for name in (parent.answer, *parent.aliases, *things)}
    return (name for name in names if not any(thing.endswith(singular(fold(name))) for thing in way))


def _texts(reference: Reference) -> tuple[str, ...]:
    return tuple(phrase.text for phrase in reference.phrases)


def _provenance(candidate: Candidate, wording: Wording, seed: int) -> Provenance:
    """Return what made the words, and the prompt and call that a proposed fact came from."""
    fact = candidate.fact
    if not isinstance(fact, ProposedFact):
        return Provenance(wording.maker, seed, wording.pattern, wording.prompt, wording.calls)
    prompt = "+".join(filter(None, (fact.prompt, wording.prompt)))
    calls = tuple(dict.fromkeys((fact.source_ref, *wording.calls)))
    return Provenance(wording.maker, seed, wording.pattern, prompt, calls)
