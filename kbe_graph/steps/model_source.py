"""Exploration by a model: the steps ``knowledge``, ``hop`` and ``chain`` (KBE, section 3.2; modes: docs/models.md)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kbe_graph.checks.reasons import NOT_WORTH
from kbe_graph.english.letter_case import as_written
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.senses.noun import ENGLISH
from kbe_graph.steps.asker import Asker, ReplyOrigin, StepRequest, chain_text, refusal_of_reply, step_request
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import (
    CandidateForm,
    HopForm,
    KnowledgeForm,
    RepeatedSubjectForm,
    find_form,
    read_form,
)
from kbe_graph.steps.prompt import Data
from kbe_graph.steps.reply_text import ECHOES, StepReply, TripletWords, is_forged, is_whole, read_triplets, with_subject
from kbe_graph.steps.verifier import parse_verdicts, render_representative
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample


class Proposal(NamedTuple):
    """Candidate that a model proposes; its subject is the current answer.

    ``names`` are aliases of the object, ``type`` its type in one word, ``ok`` the model's own verdict (None if not
    requested), ``text`` a drafted question, and ``written`` the object in normal capitalisation, if the reply gives
    both.
    """

    relation: str
    object: str
    names: tuple[str, ...] = ()
    type: str = ""
    ok: bool | None = None
    text: str = ""
    written: str = ""


def render_knowledge(question: Question, *, language: str = "English") -> StepRequest:
    """Render the request for facts about the current answer."""
    return step_request("knowledge", KnowledgeForm, sees_image=True, max_tokens=500, **_values(question, language))


def render_hop(questions: Sequence[Question], *, language: str = "English") -> StepRequest:
    """Render the request for facts, verdicts on them and drafted questions in one call.

    ``questions`` is the chain's questions, from its first to the one whose answer the facts are about.
    """
    asked = {
        f"{number} {label}:": text
        for number, question in enumerate(questions, 1)
        for label, text in (("question", question.text), ("answer", question.answer))
    }
    values: dict[str, Data] = {"asked": asked, "chain": chain_text(questions[-1].key), "language": language}
    return step_request("hop", HopForm, sees_image=True, max_tokens=900, **values)


def parse_knowledge(
    reply: StepReply, answer: str, *, shown: Examples | None = None, echoes: tuple[str, ...] = ECHOES
) -> list[Proposal]:
    """Parse the proposals without duplicate facts; triplets about another subject are dropped.

    Raises ReplyError if the model declines or the reply has no complete triplet about the answer.
    """
    shown = shown or examples("knowledge")
    repeated = find_form(RepeatedSubjectForm, reply) if '"s"' in reply.text else None
    if repeated is None and (form := find_form(KnowledgeForm, reply)):
        return _sound(answer, map(_proposal, form.candidates), shown)
    triplets = [stated.words for stated in repeated.candidates] if repeated else read_triplets(reply.plain_text(echoes))
    own = _with_one_object(with_subject(triplets, answer))
    proposals = _sound(answer, (Proposal(triplet.relation, triplet.object) for triplet in own), shown)
    if not proposals:
        raise reply.error(f"no whole triplet about {answer!r} with one object a relation")
    return proposals


def parse_hop(reply: StepReply, answer: str, *, shown: Examples | None = None) -> list[Proposal]:
    """Parse the proposals with verdicts and drafts; raises ReplyError."""
    form = read_form(HopForm, reply)
    shown = shown or examples("hop")
    proposals = (
        _proposal(candidate)._replace(ok=candidate.ok, text=_draft(candidate.q, shown)) for candidate in form.candidates
    )
    return _sound(answer, proposals, shown)


def _values(question: Question, language: str) -> dict[str, Data]:
    chain = chain_text(question.key)
    return {"question": question.text, "answer": question.answer, "chain": chain, "language": language}


def _proposal(candidate: CandidateForm) -> Proposal:
    thing = candidate.o.strip()
    names = dict.fromkeys(name.strip() for name in candidate.names if fold(name) != fold(thing))
    sound = tuple(name for name in names if name and not is_forged(name))
    written = next((name.strip() for name in candidate.names if _spells(name, thing)), "")
    return Proposal(candidate.r.strip(), thing, sound, candidate.type.strip(), written=written)


def _spells(name: str, thing: str) -> bool:
    return thing.isupper() and not name.isupper() and name.strip().upper() == thing


def _draft(text: str, shown: Examples) -> str:
    return "" if shown.holds_question(text) else text.strip()


def _sound(answer: str, proposals: Iterable[Proposal], shown: Examples) -> list[Proposal]:
    sound: dict[tuple[str, str], Proposal] = {}
    for proposal in proposals:
        words = TripletWords(answer, proposal.relation, proposal.object)
        if is_whole(words) and not shown.holds_of_another(answer, words):
            sound.setdefault((fold(proposal.relation), fold(proposal.object)), proposal)
    return list(sound.values())


def _with_one_object(triplets: Sequence[TripletWords]) -> list[TripletWords]:
    objects: dict[str, set[str]] = {}
    for triplet in triplets:
        objects.setdefault(fold(triplet.relation), set()).add(fold(triplet.object))
    return [triplet for triplet in triplets if len(objects[fold(triplet.relation)]) == 1]


Mode = Literal["paper", "merged"]
NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


def name_id(name: str) -> str:
    """Build the ID of an entity without a concept: ``name:`` and its folded name."""
    return f"name:{fold(name)}"


class _ModelProposals(NamedTuple):
    proposals: Sequence[Proposal]
    origin: ReplyOrigin


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Source of facts that a model proposes about the current answer.

    In mode ``paper`` a call lists candidates; in ``merged`` they come with verdicts and drafted questions. ``concept``
    maps a question and a name to a concept, and ``lineage`` returns the questions of a chain, from hop 0 to the one
    being explored.
    """

    asker: Asker
    mode: Mode = "merged"
    concept: Callable[[str, str], str] = lambda _, name: name_id(name)
    lineage: Callable[[Sample, Question], Iterable[Question]] = lambda _, question: (question,)

    async def candidates(self, sample: Sample, question: Question) -> Sequence[ProposedFact]:
        """Ask for proposals, and return them as facts.

        Raises NoCandidate if the reply is unusable, or the model finds nothing worth asking.
        """
        propose = self._ask_knowledge if self.mode == "paper" else self._ask_hop
        proposed = await propose(sample, question)
        if not proposed.proposals:
            raise NoCandidate(NOT_WORTH, f"of {question.answer!r}, says {proposed.origin.model}")
        return [self._fact(question, proposal, proposed) for proposal in proposed.proposals]

    async def _ask_knowledge(self, sample: Sample, question: Question) -> _ModelProposals:
        step, shown = render_knowledge(question, language=self.asker.language), self.asker.examples("knowledge")
        proposals = await self.asker.ask(
            step, lambda reply: parse_knowledge(reply, question.answer, shown=shown), sample
        )
        return _ModelProposals(*proposals)

    async def _ask_hop(self, sample: Sample, question: Question) -> _ModelProposals:
        lineage = tuple(self.lineage(sample, question))
        step, shown = render_hop(lineage, language=self.asker.language), self.asker.examples("hop")
        proposals = await self.asker.ask(step, lambda reply: parse_hop(reply, question.answer, shown=shown), sample)
        return _ModelProposals(*proposals)

    def _fact(self, question: Question, proposal: Proposal, proposed: _ModelProposals) -> ProposedFact:
        text = proposal.text or f"What is the {proposal.relation} of {question.answer}?"
        return ProposedFact(
            subject_id=question.concept or name_id(question.answer),
            subject=question.answer,
            relation=proposal.relation,
            object_id=self.concept(text, proposal.object) or name_id(proposal.object),
            object=self._written(proposal),
            source=f"model {proposed.origin.model}",
            source_ref=proposed.origin.call,
            aliases=proposal.names,
            type=proposal.type,
            ok=proposal.ok,
            draft=proposal.text,
            prompt=proposed.origin.prompt,
        )

    def _written(self, proposal: Proposal) -> str:
        if self.asker.language != ENGLISH:
            return proposal.object
        return proposal.written or as_written(proposal.object, proposal.type, proposal.names)


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """Judge of whether an object is the representative one, by the verdict that came with the fact or by a call."""

    asker: Asker

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Decide on each candidate of one question; an unusable reply rejects all of them."""
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
            return [refusal_of_reply(none)] * len(candidates)
        return [_decision(ok=ok) for ok in verdicts]


def _decision(*, ok: bool) -> Decision:
    return KEEP if ok else NOT_REPRESENTATIVE
