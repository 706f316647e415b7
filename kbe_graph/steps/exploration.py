"""Exploration by a model: candidates, opinion and wording in the three modes (KBE, section 3.2; modes: docs/models.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kbe_graph.errors import NoCandidate, ReplyError
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
from kbe_graph.steps.reply import question as one_question
from kbe_graph.steps.verdicts import parse_verdicts, render_representative
from kbe_graph.steps.wording import parse_express, render_express
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Fact, Provenance, Question, Sample, Triplet

Mode = Literal["paper", "merged", "chain"]
NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Facts that a model proposes about the current answer.

    In mode ``paper`` a call names candidates; in ``merged`` they come with verdicts and drafted questions; in ``chain`` one
    call makes all hops of a sample. Proposals are kept by question and object until the question is worded.
    """

    asker: Asker
    mode: Mode = "merged"
    hops: int = 3
    proposals: dict[tuple[str, str, str], Proposal] = field(default_factory=dict)

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Return the proposals as facts; raises NoCandidate where the reply cannot be used."""
        if self.mode == "chain":
            found, told = await self._chained(sample, question)
        elif self.mode == "merged":
            ask = render_hop(question, language=self.asker.language)
            found, told = await self.asker.ask(ask, parse_hop, sample)
        else:
            ask = render_knowledge(question, language=self.asker.language)
            found, told = await self.asker.ask(ask, lambda one: parse_knowledge(one, question.answer), sample)
        self.proposals.update({(question.id, one.relation, fold(one.object)): one for one in found})
        return [_fact(question, one, told) for one in found]

    def proposal(self, candidate: Candidate) -> Proposal:
        """Return the proposal that a candidate's fact was made of."""
        fact = candidate.fact
        return self.proposals[candidate.question.id, fact.relation, fold(fact.object)]

    async def _chained(self, sample: Sample, question: Question) -> tuple[list[Proposal], Told]:
        """Return the next link of the sample's chain, none where the chain ended or was left."""
        root = question.key[: len(question.key) - question.hop]
        first = Question(
            question.id, sample.id, question.run, 0, "raw", *_root(sample, question), key=root, concept=question.concept
        )
        ask = render_chain(first, self.hops, language=self.asker.language)
        found, told = await self.asker.ask(ask, parse_chain, sample)
        gone = [fold(triplet.object.name) for triplet in question.key[len(root) :]]
        on_it = [fold(one.object) for one in found[: question.hop]] == gone
        return (found[question.hop : question.hop + 1] if on_it else []), told


def _root(sample: Sample, question: Question) -> tuple[str, str]:
    """Return text and answer of the question that the chain starts at."""
    return (question.text, question.answer) if question.hop == 0 else (sample.question, sample.answer)


def _fact(question: Question, one: Proposal, told: Told) -> Fact:
    return Fact(
        subject_id=question.concept or f"name:{fold(question.answer)}",
        subject=question.answer,
        relation=one.relation,
        object_id=f"name:{fold(one.object)}",
        object=one.object,
        source=f"model {told.model}",
        source_ref=told.call,
        aliases=tuple(name for name in one.names if fold(name) != fold(one.object)),
    )


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """Whether an object is the representative one: the model's flag in ``merged``, else a call of its own in ``paper``."""

    asker: Asker
    source: ModelSource

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Return a decision on each candidate of one question; a reply that cannot be used refuses them all."""
        if self.source.mode != "paper":
            return [KEEP if self.source.proposal(one).ok is not False else NOT_REPRESENTATIVE for one in candidates]
        question = candidates[0].question
        triplets = [one.fact.triplet(one.question.key[-1].object) for one in candidates]
        ask = render_representative(question, triplets)
        try:
            said, _ = await self.asker.ask(ask, lambda one: parse_verdicts(one, len(triplets)), candidates[0].sample)
        except NoCandidate as none:
            return [Decision(keep=False, reason=none.reason, detail=none.detail)] * len(candidates)
        return [KEEP if ok else NOT_REPRESENTATIVE for ok in said]


class _Worded(NamedTuple):
    text: str
    pattern: str
    prompt: str
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelExpresser:
    """Writes a candidate's question: the draft that came with it, where it is good enough, else a call of its own."""

    asker: Asker
    run: str
    source: ModelSource | None = None

    async def express(self, candidate: Candidate, seed: int) -> Question:
        """Return the kept question of the next hop; raises NoCandidate where there is no good wording."""
        parent, fact = candidate.question, candidate.fact
        triplet = fact.triplet(parent.key[-1].object)
        hidden = (fact.object, *fact.aliases, *_between(parent))
        draft = self.source.proposal(candidate).text if self.source else ""
        worded = _drafted(draft, fact, hidden) or await self._asked(candidate, triplet, hidden)
        return Question(
            id=f"{parent.sample}@{self.run}/{parent.hop + 1}",
            sample=parent.sample,
            run=self.run,
            hop=parent.hop + 1,
            kind="explored",
            text=worded.text,
            answer=fact.object,
            key=(*parent.key, triplet),
            aliases=fact.aliases,
            concept=fact.object_id,
            parent=parent.id,
            provenance=Provenance(fact.source, seed, worded.pattern, worded.prompt, worded.calls),
        )

    async def _asked(self, candidate: Candidate, triplet: Triplet, hidden: tuple[str, ...]) -> _Worded:
        parent = candidate.question
        ask = render_express(parent, triplet, language=self.asker.language)
        text, told = await self.asker.ask(
            ask, lambda one: parse_express(one, old=parent.text, hidden=hidden), candidate.sample
        )
        return _Worded(text, "asked", ask.prompt, (candidate.fact.source_ref, told.call))


def _drafted(draft: str, fact: Fact, hidden: tuple[str, ...]) -> _Worded | None:
    """Return the draft that came with the fact, if it is good enough."""
    try:
        return _Worded(one_question(draft, hidden=hidden), "drafted", "", (fact.source_ref,))
    except ReplyError:
        return None


def _between(parent: Question) -> tuple[str, ...]:
    """Return what the new question must not name: the old answer, and what lies between it and the benchmark's own."""
    return tuple(triplet.object.name for triplet in parent.key[len(parent.key) - parent.hop - 1 :])
