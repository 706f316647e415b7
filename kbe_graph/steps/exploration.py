"""Exploration by a model: candidates and opinions in the three modes (KBE, section 3.2; modes: docs/models.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.ask import Ask
from kbe_graph.steps.asking import Asker, Told
from kbe_graph.steps.candidates import (
    Proposal,
    parse_chain,
    parse_hop,
    parse_knowledge,
    render_chain,
    render_hop,
    render_knowledge,
)
from kbe_graph.steps.proposed import ProposedFact
from kbe_graph.steps.verdicts import parse_verdicts, render_representative
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample

Mode = Literal["paper", "merged", "chain"]
NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


def by_name(name: str) -> str:
    """Return the id of a thing that no concept is known for: its folded name."""
    return f"name:{fold(name)}"


class _Found(NamedTuple):
    proposals: Sequence[Proposal]
    told: Told
    ask: Ask


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Facts that a model proposes about the current answer.

    In mode ``paper`` a call names candidates; in ``merged`` they come with verdicts and drafted questions; in ``chain`` one
    call makes all hops of a sample. ``concept`` gives the concept of a name under a question; ``root`` the question of hop 0
    that a sample's chain starts at.
    """

    asker: Asker
    mode: Mode = "merged"
    hops: int = 3
    concept: Callable[[str, str], str] = lambda _, name: by_name(name)
    root: Callable[[Sample, Question], Question] | None = None

    async def candidates(self, sample: Sample, question: Question) -> Sequence[ProposedFact]:
        """Return the proposals as facts; raises NoCandidate where the reply cannot be used."""
        asked = {"paper": self._known, "merged": self._drafted, "chain": self._chained}[self.mode]
        found = await asked(sample, question)
        return [self._fact(question, one, found) for one in found.proposals]

    async def _known(self, sample: Sample, question: Question) -> _Found:
        ask = render_knowledge(question, language=self.asker.language)
        said = await self.asker.ask(ask, lambda one: parse_knowledge(one, question.answer), sample)
        return _Found(*said, ask)

    async def _drafted(self, sample: Sample, question: Question) -> _Found:
        ask = render_hop(question, language=self.asker.language)
        return _Found(*await self.asker.ask(ask, lambda one: parse_hop(one, question.answer), sample), ask)

    async def _chained(self, sample: Sample, question: Question) -> _Found:
        """Return the next link of the sample's chain, none where the chain ended or was left."""
        first = self.root(sample, question) if self.root and question.hop else question
        ask = render_chain(first, self.hops, language=self.asker.language)
        found, told = await self.asker.ask(ask, lambda one: parse_chain(one, first.answer), sample)
        gone = [fold(triplet.object.name) for triplet in question.key[len(question.key) - question.hop :]]
        on_it = [fold(one.object) for one in found[: question.hop]] == gone
        return _Found(found[question.hop : question.hop + 1] if on_it else [], told, ask)

    def _fact(self, question: Question, one: Proposal, found: _Found) -> ProposedFact:
        asked = one.text or f"What is the {one.relation} of {question.answer}?"
        return ProposedFact(
            subject_id=question.concept or by_name(question.answer),
            subject=question.answer,
            relation=one.relation,
            object_id=self.concept(asked, one.object) or by_name(one.object),
            object=one.object,
            source=f"model {found.told.model}",
            source_ref=found.told.call,
            aliases=one.names,
            type=one.type,
            ok=one.ok,
            draft=one.text,
            prompt=found.ask.prompt,
        )


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """Whether an object is the representative one: what the model said along with it, else a call of its own."""

    asker: Asker

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Return a decision on each candidate of one question; a reply that cannot be used refuses them all."""
        said = [one.fact.ok if isinstance(one.fact, ProposedFact) else None for one in candidates]
        if all(one is not None for one in said):
            return [_decision(ok=bool(one)) for one in said]
        question = candidates[0].question
        triplets = [one.fact.triplet(one.question.key[-1].object) for one in candidates]
        ask = render_representative(question, triplets)
        try:
            verdicts, _ = await self.asker.ask(
                ask, lambda one: parse_verdicts(one, len(triplets)), candidates[0].sample
            )
        except NoCandidate as none:
            return [Decision(keep=False, reason=none.reason, detail=none.detail)] * len(candidates)
        return [_decision(ok=ok) for ok in verdicts]


def _decision(*, ok: bool) -> Decision:
    return KEEP if ok else NOT_REPRESENTATIVE


def of_source(candidate: Candidate, made: Question) -> Question:
    """Return a question worded otherwise with the prompt and call that its fact came from."""
    fact, provenance = candidate.fact, made.provenance
    if not isinstance(fact, ProposedFact):
        return made
    prompt = "+".join(filter(None, (fact.prompt, provenance.prompt)))
    calls = tuple(dict.fromkeys((fact.source_ref, *provenance.calls)))
    return replace(made, provenance=replace(provenance, prompt=prompt, calls=calls))
