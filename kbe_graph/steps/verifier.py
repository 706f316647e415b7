"""Second model: its opinion on facts and its verdicts on questions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import (
    Asker,
    Step,
    all_yes,
    chain_text,
    in_order,
    labelled_lines,
    refusal_of_reply,
    triplet_text,
)
from kbe_graph.steps.forms import InspectForm, VerdictsForm
from kbe_graph.steps.prompt import Data
from kbe_graph.text import fold
from kbe_graph.types import KEEP, VERDICTS, Candidate, Decision, Inspection, Question, Sample, Triplet

TOKENS_A_VERDICT = 16
TOKENS_A_QUESTION = 70
VERIFY_BATCH, INSPECT_BATCH = 15, 10
FactKey = tuple[str, str, str]
VERIFIED = Decision(keep=True, detail="verified")
NOT_VERIFIED = Decision(keep=False, reason="not verified")
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


def verify_step(chains: Sequence[Sequence[Triplet]]) -> Step[list[bool]]:
    """Ask for a second opinion on the last triplet of each chain, text only.

    The chains may come from many samples; 10 to 20 make a good batch.
    """
    items: list[dict[str, str | Sequence[str]]] = [
        {"statement": triplet_text(last), "chain": chain_text(before)} for *before, last in chains
    ]
    parse, values = partial(verdicts_of, count=len(chains)), {"triplets": labelled_lines(items)}
    return Step("verify", VerdictsForm, parse, values, 20 + TOKENS_A_VERDICT * len(chains), sees_image=False)


def verdicts_of(form: VerdictsForm, count: int) -> list[bool]:
    """Read the verdicts 1 to ``count`` in order; a missing or contradictory one counts as no.

    Raises ValueError if more than half are missing or a number is out of range.
    """
    return in_order(all_yes((verdict.n, verdict.ok) for verdict in form.verdicts), count, missing=False)


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
        self._decisions: dict[FactKey, Decision] = {}

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Decide on each candidate of one hop; an unusable reply rejects its whole batch."""
        hop = candidates[0].question.hop + 1
        if hop != self._hop:
            earlier = self._earlier_verdicts(hop)
            self._hop, self._decisions = hop, {key: _decision_of(is_right) for key, is_right in earlier.items()}
        first = {fact_key(candidate): candidate for candidate in reversed(candidates)}
        keys = dict.fromkeys(map(fact_key, candidates))
        todo = [first[key] for key in keys if key not in self._decisions]
        count = -(-len(todo) // self._batch)
        batches = (todo[at * len(todo) // count : (at + 1) * len(todo) // count] for at in range(count))
        await gather_all(map(self._judge, batches))
        return [self._decisions[fact_key(candidate)] for candidate in candidates]

    async def _judge(self, batch: Sequence[Candidate]) -> None:
        step = verify_step([(*each.question.key, each.fact.triplet(each.question.end)) for each in batch])
        try:
            verdicts, _ = await self._asker.ask(step)
            decisions = list(map(_decision_of, verdicts))
        except NoCandidate as none:
            decisions = [refusal_of_reply(none)] * len(batch)
        self._decisions.update(zip(map(fact_key, batch), decisions, strict=True))


def _decision_of(is_right: bool) -> Decision:
    return VERIFIED if is_right else NOT_VERIFIED


def fact_key(candidate: Candidate) -> FactKey:
    """Build the key of a candidate's fact: folded subject, relation and object."""
    fact = candidate.fact
    return fold(fact.subject), fold(fact.relation), fold(fact.object)


def is_verdict(reason: str) -> bool:
    """Return True if a question was dropped because of a second model's verdict."""
    return reason in REASONS.values()


class Inspectable(NamedTuple):
    """Question with the sample it was generated from."""

    sample: Sample
    question: Question


def inspect_step(questions: Sequence[Inspectable], *, language: str = "English") -> Step[list[tuple[str, ...]]]:
    """Ask for seven verdicts on each of the questions from many samples, text only; the outcome is the positive ones.

    A missing or contradictory verdict counts as no.
    """

    def parse(form: InspectForm) -> list[tuple[str, ...]]:
        yes: dict[int, set[str]] = {}
        for inspection in form.questions:
            yes[inspection.n] = inspection.yes & yes.get(inspection.n, inspection.yes)
        found = in_order(yes, len(questions), missing=set())
        return [tuple(verdict for verdict in VERDICTS if verdict in each) for each in found]

    values: dict[str, Data] = {"questions": labelled_lines([_texts(*each) for each in questions]), "language": language}
    return Step("inspect", InspectForm, parse, values, 20 + TOKENS_A_QUESTION * len(questions), sees_image=False)


def _texts(sample: Sample, question: Question) -> Mapping[str, str | Sequence[str]]:
    also = f" (also: {', '.join(question.aliases)})" if question.aliases else ""
    return {
        "raw question": sample.question,
        "raw answer": sample.answer,
        "question": question.text,
        "answer": question.answer + also,
        "path": tuple(f"{triplet_text(each)} from {each.source or 'the benchmark'}" for each in question.key),
    }


def refusal_of(inspection: Inspection) -> Decision:
    """Reject a question by its first negative verdict, or keep it."""
    if not inspection.no:
        return KEEP
    return Decision(keep=False, reason=REASONS[inspection.no[0]], detail=f"no to {', '.join(inspection.no)}")


async def inspect_questions(asker: Asker, questions: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
    """Ask for seven verdicts on each question in one call; an unusable reply rejects all of them."""
    try:
        verdicts, origin = await asker.ask(inspect_step(questions, language=asker.language))
    except NoCandidate as none:
        return [refusal_of_reply(none)] * len(questions)
    return [
        Inspection(question.text, question.answer, yes, origin.model, origin.prompt, origin.call)
        for (_, question), yes in zip(questions, verdicts, strict=True)
    ]
