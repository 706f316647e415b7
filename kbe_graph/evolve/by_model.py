"""A model as source of facts, judge of what is representative, and writer of questions (KBE, section 3.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kbe_graph.checks.path import Asks, PathLeak, RelatedToOriginal, decide_end
from kbe_graph.checks.question_text import Instruction, WordedInstruction, refuse_instruction
from kbe_graph.english.names import as_written
from kbe_graph.english.noun import ENGLISH
from kbe_graph.english.reference import Reference, Wording
from kbe_graph.english.seen import Names
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.steps.asker import Asker, ReplyOrigin, refusal_of_reply
from kbe_graph.steps.hop_steps import (
    Proposal,
    express_step,
    knowledge_step,
    representative_step,
    reselect_step,
)
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Fact, Question, Sample, SampleGraph, Triplet

NOT_WORTH = "nothing worth asking"
NOT_ASKED = "the model asks for no path"
NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


def name_id(name: str) -> str:
    """Build the ID of an entity without a concept: ``name:`` and its folded name."""
    return f"name:{fold(name)}"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Source of facts that a model proposes about the current answer.

    ``concept`` maps a question and a name to a concept.
    """

    asker: Asker
    concept: Callable[[str, str], str] = lambda _, name: name_id(name)

    async def candidates(self, sample: Sample, question: Question) -> Sequence[ProposedFact]:
        """Ask for proposals, and return them as facts.

        Raises NoCandidate if the reply is unusable, or the model finds nothing worth asking.
        """
        step = knowledge_step(question, language=self.asker.language)
        proposals, origin = await self.asker.ask(step, sample)
        if not proposals:
            raise NoCandidate(NOT_WORTH, f"of {question.answer!r}, says {origin.model}")
        return [self._fact(question, proposal, origin) for proposal in proposals]

    def _fact(self, question: Question, proposal: Proposal, origin: ReplyOrigin) -> ProposedFact:
        text = f"What is the {proposal.relation} of {question.answer}?"
        written = proposal.written or as_written(proposal.object, proposal.type, proposal.names)
        return ProposedFact(
            subject_id=question.concept or name_id(question.answer),
            subject=question.answer,
            relation=proposal.relation,
            object_id=self.concept(text, proposal.object) or name_id(proposal.object),
            object=written if self.asker.language == ENGLISH else proposal.object,
            source=f"model {origin.model}",
            source_ref=origin.call,
            aliases=proposal.names,
            type=proposal.type,
            prompt=origin.prompt,
        )


async def judge_representative(asker: Asker, candidates: Sequence[Candidate]) -> Sequence[Decision]:
    """Ask whether each object of one question's candidates is the representative one; a bad reply rejects all."""
    first = candidates[0]
    triplets = [candidate.fact.triplet(candidate.question.end) for candidate in candidates]
    try:
        verdicts, _ = await asker.ask(representative_step(first.question, triplets), first.sample)
    except NoCandidate as none:
        return [refusal_of_reply(none)] * len(candidates)
    return [KEEP if ok else NOT_REPRESENTATIVE for ok in verdicts]


@dataclass(frozen=True, slots=True)
class ModelExpresser:
    """Expresser that asks a model for one wording of a candidate."""

    asker: Asker

    def forms(self, candidate: Candidate) -> Sequence[Callable[[Candidate], Reference]]:
        """List the single form: a model decides for itself how to refer to the first answer."""
        del candidate
        return (lambda _: Reference((), "model"),)

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Produce one wording; raises NoCandidate if the reply is unusable."""
        del reference
        parent, triplet = candidate.question, candidate.fact.triplet(candidate.question.end)
        step = express_step(parent, triplet, hidden=_hidden_names(candidate), language=self.asker.language)
        return (_asked_wording(*await self.asker.ask(step, candidate.sample)),)

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """Get the aliases that came with the fact."""
        return fact.aliases


def _asked_wording(text: str, origin: ReplyOrigin) -> Wording:
    return Wording(text, "asked", maker=f"model {origin.model}", prompt=origin.prompt, calls=(origin.call,))


def _hidden_names(candidate: Candidate) -> tuple[str, ...]:
    parent, fact = candidate.question, candidate.fact
    between = (triplet.object.name for triplet in (*parent.root[-1:], *parent.explored))
    return (fact.object, *fact.aliases, parent.answer, *parent.aliases, *between)


def decide_asked(
    sample: Sample, graph: SampleGraph, path: Sequence[Triplet], asks: Asks, *, language: str = ENGLISH
) -> Decision:
    """Decide whether to ask a model to word a path; ``asks`` tells which end checks are enabled."""
    decision = refuse_instruction(Instruction.name, (sample.question, sample.answer))
    decision = decide_end(Names(graph), path, asks) if decision.keep else decision
    if decision.keep and language == ENGLISH and asks(RelatedToOriginal.name):
        return RelatedToOriginal().decide(sample.question, path)
    return decision


@dataclass(frozen=True, slots=True)
class ModelReselector:
    """Reselector that asks a model to word a graph's paths; ``asks`` tells which end checks are enabled."""

    asker: Asker
    asks: Asks = lambda _: True

    def decide(self, sample: Sample, graph: SampleGraph, path: Sequence[Triplet]) -> Decision:
        """Decide whether the path is worth a call."""
        return decide_asked(sample, graph, path, self.asks, language=self.asker.language)

    async def wording(self, sample: Sample, path: Sequence[Triplet]) -> Wording | Decision:
        """Word the question for the end of a path, or reject the path."""
        step = reselect_step(sample, path, language=self.asker.language)
        try:
            text, origin = await self.asker.ask(step, sample)
        except NoCandidate as none:
            return refusal_of_reply(none)
        if not text:
            return Decision(keep=False, reason=NOT_ASKED)
        decision = refuse_instruction(WordedInstruction.name, (text,))
        decision = PathLeak().decide(path, (text,)) if decision.keep else decision
        return _asked_wording(text, origin) if decision.keep else decision
