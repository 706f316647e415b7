"""Exploration by a model: candidates and opinions in the three modes (KBE, section 3.2; modes: docs/models.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.steps.asker import Asker, ReplyOrigin
from kbe_graph.steps.proposals import (
    Proposal,
    parse_chain,
    parse_hop,
    parse_knowledge,
    render_chain,
    render_hop,
    render_knowledge,
)
from kbe_graph.steps.verdicts import parse_verdicts, render_representative
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample

Mode = Literal["paper", "merged", "chain"]
NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


def name_id(name: str) -> str:
    """Return the id of a thing that no concept is known for: ``name:`` and its folded name."""
    return f"name:{fold(name)}"


class _ModelProposals(NamedTuple):
    proposals: Sequence[Proposal]
    origin: ReplyOrigin


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Facts that a model proposes about the current answer.

    In mode ``paper`` a call names candidates; in ``merged`` they come with verdicts and drafted questions; in
    ``chain`` one call makes all hops of a sample. ``concept`` gives the concept of a name under a question. ``root``
    gives the question of hop 0 that a sample's chain starts at.
    """

    asker: Asker
    mode: Mode = "merged"
    hops: int = 3
    concept: Callable[[str, str], str] = lambda _, name: name_id(name)
    root: Callable[[Sample, Question], Question] | None = None

    async def candidates(self, sample: Sample, question: Question) -> Sequence[ProposedFact]:
        """Return the proposals as facts; raises NoCandidate where the reply cannot be used."""
        propose = {"paper": self._ask_knowledge, "merged": self._ask_hop, "chain": self._ask_chain}[self.mode]
        proposed = await propose(sample, question)
        return [self._fact(question, proposal, proposed) for proposal in proposed.proposals]

    async def _ask_knowledge(self, sample: Sample, question: Question) -> _ModelProposals:
        step, shown = render_knowledge(question, language=self.asker.language), self.asker.examples("knowledge")
        proposals = await self.asker.ask(
            step, lambda reply: parse_knowledge(reply, question.answer, shown=shown), sample
        )
        return _ModelProposals(*proposals)

    async def _ask_hop(self, sample: Sample, question: Question) -> _ModelProposals:
        step, shown = render_hop(question, language=self.asker.language), self.asker.examples("hop")
        proposals = await self.asker.ask(step, lambda reply: parse_hop(reply, question.answer, shown=shown), sample)
        return _ModelProposals(*proposals)

    async def _ask_chain(self, sample: Sample, question: Question) -> _ModelProposals:
        """Return the next hop of the sample's chain, none where the chain ended or the run left it."""
        root = self.root(sample, question) if self.root and question.hop else question
        step, shown = render_chain(root, self.hops, language=self.asker.language), self.asker.examples("chain")
        chain, origin = await self.asker.ask(step, lambda reply: parse_chain(reply, root.answer, shown=shown), sample)
        taken = [fold(triplet.object.name) for triplet in question.explored]
        on_chain = [fold(proposal.object) for proposal in chain[: question.hop]] == taken
        return _ModelProposals(chain[question.hop : question.hop + 1] if on_chain else [], origin)

    def _fact(self, question: Question, proposal: Proposal, proposed: _ModelProposals) -> ProposedFact:
        text = proposal.text or f"What is the {proposal.relation} of {question.answer}?"
        return ProposedFact(
            subject_id=question.concept or name_id(question.answer),
            subject=question.answer,
            relation=proposal.relation,
            object_id=self.concept(text, proposal.object) or name_id(proposal.object),
            object=proposal.object,
            source=f"model {proposed.origin.model}",
            source_ref=proposed.origin.call,
            aliases=proposal.names,
            type=proposal.type,
            ok=proposal.ok,
            draft=proposal.text,
            prompt=proposed.origin.prompt,
        )


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """Whether an object is the representative one: by the verdict that came with the fact, else by a call."""

    asker: Asker

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Return a decision on each candidate of one question; a reply that cannot be used refuses them all."""
        facts = [candidate.fact for candidate in candidates]
        drafted = [fact.ok if isinstance(fact, ProposedFact) else None for fact in facts]
        if all(ok is not None for ok in drafted):
            return [_decision(ok=bool(ok)) for ok in drafted]
        first = candidates[0]
        triplets = [candidate.fact.triplet(candidate.question.end) for candidate in candidates]
        step = render_representative(first.question, triplets)
        try:
            verdicts, _ = await self.asker.ask(step, lambda reply: parse_verdicts(reply, len(triplets)), first.sample)
        except NoCandidate as none:
            return [Decision(keep=False, reason=none.reason, detail=none.detail)] * len(candidates)
        return [_decision(ok=ok) for ok in verdicts]


def _decision(*, ok: bool) -> Decision:
    return KEEP if ok else NOT_REPRESENTATIVE
