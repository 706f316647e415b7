"""Acceptance rates: how many questions reviewers approve, by the questions' traits."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kbe_graph.evaluate.guessers import row_of
from kbe_graph.review.material import ReviewMaterial
from kbe_graph.review.state import State
from kbe_graph.statistics.intervals import Measurement, calm, mean_share
from kbe_graph.statistics.shares import wilson
from kbe_graph.types import Question

TRAITS = ("hop", "relation", "source", "check", "pattern", "prompt", "model")
DECIDED: tuple[State, ...] = ("approved", "revised", "rejected")


class AcceptanceRow(NamedTuple):
    """The reviewed questions with a trait, such as a relation, counted by state.

    ``share`` is the share of approved among decided questions, with its 95 % interval (Wilson).
    """

    by: str
    name: str
    questions: int
    approved: int
    revised: int
    rejected: int
    disputed: int
    share: Measurement

    @property
    def decided(self) -> int:
        """The number of decided questions."""
        return self.approved + self.revised + self.rejected


class RelationProposal(NamedTuple):
    """A relation proposed for the block list, with its numbers of decided and approved questions."""

    relation: str
    questions: int
    approved: int
    share: Measurement


def acceptance(material: ReviewMaterial) -> list[AcceptanceRow]:
    """Compute a row for all reviewed questions, then one per trait, in the order of ``TRAITS``, most reviewed first.

    A question counts under each relation and each source of its path. Under ``check``, it counts by the check that
    dropped it, or by whether the checks found a fault in its fact, if that was measured.
    """
    counts: dict[tuple[str, str], Counter[State]] = defaultdict(Counter)
    faulty = {candidate.question: candidate.faulty for candidate in material.candidates}
    for question in material.questions:
        state = material.states.get(question.id)
        if state is not None and state.counted:
            for place in {("all", "all"), *traits(question, faulty.get(question.id))}:
                counts[place][state.state] += 1
    order = {name: number for number, name in enumerate(("all", *TRAITS))}
    rows = [_row(by, name, states) for (by, name), states in counts.items()]
    return sorted(rows, key=lambda row: (order[row.by], -row.questions if row.by != "hop" else 0, row.name))


def traits(question: Question, faulty: bool | None = None) -> Iterator[tuple[str, str]]:
    """Yield the traits of a question that acceptance is broken down by, as pairs of kind and name."""
    yield "hop", row_of(question.kind, question.hop)
    yield from (("relation", triplet.relation) for triplet in question.key if triplet.graph == "textual")
    yield from (("source", triplet.source) for triplet in question.key if triplet.source)
    provenance = question.provenance
    named = {"pattern": provenance.pattern, "prompt": provenance.prompt, "model": provenance.maker}
    if question.status == "dropped" or faulty is not None:
        named["check"] = question.reason or ("fault found" if faulty else "no fault found")
    yield from ((by, name) for by, name in named.items() if name)


def _row(by: str, name: str, states: Mapping[State, int]) -> AcceptanceRow:
    approved, revised, rejected = (states.get(state, 0) for state in DECIDED)
    decided = np.repeat([1.0, 0.0], [approved, revised + rejected])
    share = calm(mean_share("approved", decided, "none is decided"))
    number = sum(states.values())
    return AcceptanceRow(by, name, number, approved, revised, rejected, number - len(decided), share)


def block_list(
    rows: Sequence[AcceptanceRow], among: Collection[str], *, limit: float, least: int
) -> list[RelationProposal]:
    """Propose relations of which significantly less than a share of ``limit`` is approved, worst first.

    ``among`` are the relations that can be blocked. The upper end of the 95 % interval is below the limit, over at
    least ``least`` decided questions.
    """
    shares = [
        (row.name, row.decided, row.approved, row.share._replace(low=low, high=high))
        for row in rows
        if row.by == "relation" and row.name in among and row.decided >= least
        for low, high in [wilson(row.approved, row.decided)]
        if high < limit
    ]
    proposals = [RelationProposal(*each) for each in shares]
    return sorted(proposals, key=lambda proposal: (proposal.share.high or 0, proposal.relation))


class BadExample(NamedTuple):
    """A rejected question with the reviewers' reasons, for use as a negative example in a prompt."""

    prompt: str
    question: str
    text: str
    answer: str
    reasons: tuple[str, ...]
    criteria: tuple[str, ...]


def bad_examples(material: ReviewMaterial) -> list[BadExample]:
    """List the model-written questions that were rejected with a reason, by prompt, those with most rejections first.

    ``criteria`` are those that any reviewer answered with no.
    """
    examples = []
    for question in material.questions:
        state = material.states.get(question.id)
        if state is None or state.state != "rejected" or not question.provenance.prompt:
            continue
        rejections = [review for review in state.counted if review.verdict == "reject"]
        reasons = tuple(dict.fromkeys(review.reason for review in rejections if review.reason))
        refused = {name for review in rejections for name, opinion in review.criteria if opinion == "no"}
        if reasons:
            about = (question.provenance.prompt, question.id, question.text, question.answer, reasons)
            examples.append((-len(rejections), BadExample(*about, tuple(sorted(refused)))))
    ordered = sorted(examples, key=lambda pair: (pair[1].prompt, pair[0], pair[1].question))
    return [example for _, example in ordered]
