"""Second model: its opinion on facts and its verdicts on questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.errors import NoCandidate, ReplyError
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import (
    Asker,
    StepRequest,
    chain_text,
    numbered_lines,
    refusal_of_reply,
    step_request,
    triplet_text,
)
from kbe_graph.steps.forms import InspectForm, VerdictsForm, find_form, read_form
from kbe_graph.steps.prompt import Data
from kbe_graph.steps.reply_text import ECHOES, StepReply, read_verdict, read_verdicts, verdicts_in_order
from kbe_graph.text import fold
from kbe_graph.types import KEEP, VERDICTS, Candidate, Decision, Inspection, Question, Sample, Triplet

TOKENS_A_VERDICT = 16


def render_representative(question: Question, triplets: Sequence[Triplet]) -> StepRequest:
    """Render the request for whether each object is representative of its subject and relation, in context."""
    texts = tuple(triplet_text(triplet) for triplet in triplets)
    values: dict[str, Data] = {
        "question": question.text,
        "answer": question.answer,
        "triplets": numbered_lines(texts),
    }
    return step_request("representative", VerdictsForm, sees_image=True, max_tokens=_tokens(len(texts)), **values)


def render_verify(chains: Sequence[Sequence[Triplet]]) -> StepRequest:
    """Render the request for a second opinion on the last triplet of each chain, text only.

    The chains may come from many samples; 10 to 20 make a good batch.
    """
    lines: dict[str, str | Sequence[str]] = {}
    for number, (*before, last) in enumerate(chains, 1):
        lines |= {f"{number} statement:": triplet_text(last), f"{number} chain:": chain_text(tuple(before))}
    most = _tokens(len(chains))
    return step_request("verify", VerdictsForm, sees_image=False, max_tokens=most, triplets=lines)


def parse_verdicts(reply: StepReply, count: int, *, echoes: tuple[str, ...] = ECHOES) -> list[bool]:
    """Parse the verdicts 1 to ``count`` in order; see ``verdicts_in_order``.

    Raises ReplyError, also for several lists of verdicts.
    """
    reply.refuse_several("verdicts")
    form = find_form(VerdictsForm, reply)
    if form is None:
        return _plain_verdicts(reply, count, echoes)
    try:
        return verdicts_in_order([(verdict.n, verdict.ok) for verdict in form.verdicts], count)
    except ValueError as error:
        raise reply.error(str(error)) from None


def _plain_verdicts(reply: StepReply, count: int, echoes: tuple[str, ...]) -> list[bool]:
    text = reply.plain_text(echoes)
    try:
        return (
            [read_verdict(text)]
            if count == 1 and not text[:1].isdigit()
            else read_verdicts(text, count, is_cut=reply.is_cut(echoes))
        )
    except ReplyError as error:
        raise reply.error(str(error)) from None


def _tokens(count: int) -> int:
    return 20 + TOKENS_A_VERDICT * count


FactKey = tuple[str, str, str]
VERIFIED = Decision(keep=True, detail="verified")
NOT_VERIFIED = Decision(keep=False, reason="not verified")
VERIFY_BATCH = 15


class Verifier:
    """Second opinion on triplets, ``batch`` per call; ``earlier_verdicts`` returns the verdicts from before a hop.

    Batches contain the distinct triplets in order, and earlier verdicts are looked up once per hop, so an interrupted
    run repeats the same calls.
    """

    def __init__(
        self, asker: Asker, earlier_verdicts: Callable[[int], dict[FactKey, bool]], *, batch: int = VERIFY_BATCH
    ) -> None:
        self._asker, self._earlier_verdicts, self._batch = asker, earlier_verdicts, batch
        self._hop = -1
        self._verdicts: dict[FactKey, bool] = {}
        self._refused: dict[FactKey, Decision] = {}

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Decide on each candidate of one hop; an unusable reply rejects its whole batch."""
        hop = candidates[0].question.hop + 1
        if hop != self._hop:
            self._hop, self._verdicts, self._refused = hop, self._earlier_verdicts(hop), {}
        keys = [fact_key(candidate) for candidate in candidates]
        first = dict(zip(reversed(keys), reversed(candidates), strict=True))
        answered = self._verdicts.keys() | self._refused.keys()
        todo = [first[key] for key in dict.fromkeys(keys) if key not in answered]
        for refusals in await gather_all(self._judge(batch) for batch in _batches(todo, self._batch)):
            self._refused |= refusals
        return [self._refused.get(key) or _decision(ok=self._verdicts[key]) for key in keys]

    async def _judge(self, batch: Sequence[Candidate]) -> dict[FactKey, Decision]:
        step = render_verify([(*each.question.key, each.fact.triplet(each.question.end)) for each in batch])
        try:
            verdicts, _ = await self._asker.ask(step, lambda reply: parse_verdicts(reply, len(batch)))
        except NoCandidate as none:
            return dict.fromkeys(map(fact_key, batch), refusal_of_reply(none))
        self._verdicts.update(zip(map(fact_key, batch), verdicts, strict=True))
        return {}


def fact_key(candidate: Candidate) -> FactKey:
    """Build the key of a candidate's fact: folded subject, relation and object."""
    fact = candidate.fact
    return fold(fact.subject), fold(fact.relation), fold(fact.object)


def _decision(*, ok: bool) -> Decision:
    return VERIFIED if ok else NOT_VERIFIED


def _batches(candidates: Sequence[Candidate], most: int) -> Iterator[Sequence[Candidate]]:
    count = -(-len(candidates) // most)
    for number in range(count):
        yield candidates[number * len(candidates) // count : (number + 1) * len(candidates) // count]


TOKENS_A_QUESTION = 70
REASONS: Mapping[str, str] = {
    "fact": "verdict: wrong fact",
    "grammar": "verdict: bad grammar",
    "no_leak": "verdict: leak",
    "path": "verdict: odd path",
    "one_answer": "verdict: other answers",
    "image_needed": "verdict: no image needed",
    "publish": "verdict: not fit to publish",
}
"""Reason under which a no to each verdict is counted."""


def is_verdict(reason: str) -> bool:
    """Return True if a question was dropped because of a second model's verdict."""
    return reason in REASONS.values()


class Inspectable(NamedTuple):
    """Question with the sample it was generated from."""

    sample: Sample
    question: Question


def render_inspect(questions: Sequence[Inspectable], *, language: str = "English") -> StepRequest:
    """Render the request for verdicts on questions from many samples, text only."""
    lines = {
        f"{number} {label}:": text
        for number, inspectable in enumerate(questions, 1)
        for label, text in _texts(*inspectable).items()
    }
    most = 20 + TOKENS_A_QUESTION * len(questions)
    return step_request("inspect", InspectForm, sees_image=False, max_tokens=most, questions=lines, language=language)


def _texts(sample: Sample, question: Question) -> Mapping[str, str | Sequence[str]]:
    also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
    return {
        "raw question": sample.question,
        "raw answer": sample.answer,
        "question": question.text,
        "answer": question.answer + also,
        "path": tuple(map(_sourced, question.key)),
    }


def _sourced(triplet: Triplet) -> str:
    return f"{triplet_text(triplet)} from {triplet.source or 'the benchmark'}"


def parse_inspect(reply: StepReply, count: int) -> list[tuple[str, ...]]:
    """Parse the positive verdicts on questions 1 to ``count``, in order.

    A missing or contradictory verdict counts as no. Raises ReplyError if more than half of the questions are missing, a
    number is out of range, or there are several lists.
    """
    reply.refuse_several("questions")
    form = read_form(InspectForm, reply)
    yes: dict[int, set[str]] = {}
    for inspection in form.questions:
        yes[inspection.n] = inspection.yes & yes.get(inspection.n, inspection.yes)
    if 2 * len(yes) < count or not set(yes) <= set(range(1, count + 1)):
        raise reply.error(f"{count} questions asked about, found those numbered {sorted(yes)!r}")
    return [tuple(verdict for verdict in VERDICTS if verdict in yes.get(number, ())) for number in range(1, count + 1)]


def refusal_of(inspection: Inspection) -> Decision:
    """Reject a question by its first negative verdict, or keep it."""
    if not inspection.no:
        return KEEP
    return Decision(keep=False, reason=REASONS[inspection.no[0]], detail=f"no to {', '.join(inspection.no)}")


INSPECT_BATCH = 10


@dataclass(frozen=True, slots=True)
class ModelInspector:
    """Inspector that asks a model for seven verdicts on each question."""

    asker: Asker

    async def __call__(self, questions: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
        """Inspect the questions in one call; an unusable reply rejects all of them."""
        step = render_inspect(questions, language=self.asker.language)
        try:
            verdicts, origin = await self.asker.ask(step, lambda reply: parse_inspect(reply, len(questions)))
        except NoCandidate as none:
            return [refusal_of_reply(none)] * len(questions)
        return [
            Inspection(question.text, question.answer, yes, origin.model, origin.prompt, origin.call)
            for (_, question), yes in zip(questions, verdicts, strict=True)
        ]
