"""Exploration by a model: the steps ``knowledge``, ``representative`` and ``hop`` (KBE, section 3.2)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kbe_graph.checks.reasons import NOT_WORTH
from kbe_graph.english.letter_case import as_written
from kbe_graph.english.noun import ENGLISH
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.steps.asker import (
    Asker,
    ReplyOrigin,
    Step,
    chain_text,
    labelled_lines,
    numbered_lines,
    refusal_of_reply,
)
from kbe_graph.steps.forms import CandidateForm, HopForm, KnowledgeForm, VerdictsForm
from kbe_graph.steps.model_options import Mode
from kbe_graph.steps.prompt import Data, Examples, examples
from kbe_graph.steps.reply_text import TripletWords, is_forged, is_whole
from kbe_graph.steps.verifier import TOKENS_A_VERDICT, verdicts_of
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample, Triplet


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


def knowledge_step(question: Question, *, language: str = ENGLISH) -> Step[list[Proposal]]:
    """Ask for facts about the current answer, of which there may be none."""

    def parse(form: KnowledgeForm) -> list[Proposal]:
        return _sound(question.answer, map(_proposal, form.candidates), examples("knowledge"))

    values: dict[str, Data] = {"question": question.text, "answer": question.answer}
    values |= {"chain": chain_text(question.key), "language": language}
    return Step("knowledge", KnowledgeForm, parse, values, 500)


def hop_step(questions: Sequence[Question], *, language: str = ENGLISH) -> Step[list[Proposal]]:
    """Ask for facts, verdicts on them and drafted questions in one call.

    ``questions`` is the chain's questions, from its first to the one whose answer the facts are about.
    """

    def parse(form: HopForm) -> list[Proposal]:
        own = examples("hop")
        drafts = ("" if own.holds_question(candidate.q) else candidate.q.strip() for candidate in form.candidates)
        proposals = (
            _proposal(candidate)._replace(ok=candidate.ok, text=draft)
            for candidate, draft in zip(form.candidates, drafts, strict=True)
        )
        return _sound(questions[-1].answer, proposals, own)

    asked = labelled_lines([{"question": question.text, "answer": question.answer} for question in questions])
    values: dict[str, Data] = {"asked": asked, "chain": chain_text(questions[-1].key), "language": language}
    return Step("hop", HopForm, parse, values, 900)


def representative_step(question: Question, triplets: Sequence[Triplet]) -> Step[list[bool]]:
    """Ask whether each object is representative of its subject and relation, in context."""
    values: dict[str, Data] = {"question": question.text, "answer": question.answer}
    values["triplets"] = numbered_lines(chain_text(triplets))
    parse, most = partial(verdicts_of, count=len(triplets)), 20 + TOKENS_A_VERDICT * len(triplets)
    return Step("representative", VerdictsForm, parse, values, most)


def _proposal(candidate: CandidateForm) -> Proposal:
    thing = candidate.o.strip()
    names = dict.fromkeys(name.strip() for name in candidate.names if fold(name) != fold(thing))
    sound = tuple(name for name in names if name and not is_forged(name))
    spelled = (name.strip() for name in candidate.names if thing.isupper() and not name.isupper())
    written = next((name for name in spelled if name.upper() == thing), "")
    return Proposal(candidate.r.strip(), thing, sound, candidate.type.strip(), written=written)


def _sound(answer: str, proposals: Iterable[Proposal], shown: Examples) -> list[Proposal]:
    sound: dict[tuple[str, str], Proposal] = {}
    for proposal in proposals:
        words = TripletWords(answer, proposal.relation, proposal.object)
        if is_whole(words) and not shown.holds_of_another(answer, words):
            sound.setdefault((fold(proposal.relation), fold(proposal.object)), proposal)
    return list(sound.values())


NOT_REPRESENTATIVE = Decision(keep=False, reason="not representative")


def name_id(name: str) -> str:
    """Build the ID of an entity without a concept: ``name:`` and its folded name."""
    return f"name:{fold(name)}"


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
        language = self.asker.language
        if self.mode == "paper":
            step = knowledge_step(question, language=language)
        else:
            step = hop_step(tuple(self.lineage(sample, question)), language=language)
        proposals, origin = await self.asker.ask(step, sample)
        if not proposals:
            raise NoCandidate(NOT_WORTH, f"of {question.answer!r}, says {origin.model}")
        return [self._fact(question, proposal, origin) for proposal in proposals]

    def _fact(self, question: Question, proposal: Proposal, origin: ReplyOrigin) -> ProposedFact:
        text = proposal.text or f"What is the {proposal.relation} of {question.answer}?"
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
            ok=proposal.ok,
            draft=proposal.text,
            prompt=origin.prompt,
        )


async def judge_representative(asker: Asker, candidates: Sequence[Candidate]) -> Sequence[Decision]:
    """Decide whether each object is the representative one, by the verdict that came with the fact or by a call.

    The candidates are those of one question; an unusable reply rejects all of them.
    """
    first, facts = candidates[0], [candidate.fact for candidate in candidates]
    verdicts: Sequence[bool | None] = [fact.ok if isinstance(fact, ProposedFact) else None for fact in facts]
    if None in verdicts:
        triplets = [candidate.fact.triplet(candidate.question.end) for candidate in candidates]
        try:
            verdicts, _ = await asker.ask(representative_step(first.question, triplets), first.sample)
        except NoCandidate as none:
            return [refusal_of_reply(none)] * len(candidates)
    return [KEEP if ok else NOT_REPRESENTATIVE for ok in verdicts]
