"""How many questions people approve as they stand, by what the questions were made of, and by whom."""

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
    """The reviewed questions with a trait, such as a relation: how many were approved, revised, rejected, disputed.

    ``share`` is that of the approved among those that are decided, with its 95 % interval (Wilson).
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
        """The questions that are decided."""
        return self.approved + self.revised + self.rejected


class RelationProposal(NamedTuple):
    """A relation that is proposed for a block list: of so many decided questions so many were approved."""

    relation: str
    questions: int
    approved: int
    share: Measurement


def acceptance(material: ReviewMaterial) -> list[AcceptanceRow]:
    """Return a row for all reviewed questions, then one a trait, in the order of ``TRAITS``, the most reviewed first.

    A question counts under each relation and each source of its path; under ``check`` by the check that dropped it,
    or by whether the checks found fault with its fact, where that was measured.
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
    """Give the traits of a question by which acceptance is told: each kind of trait with its name."""
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
    """Return the relations of which surely fewer than a share of ``limit`` is approved, the worst first.

    ``among`` are those that can be blocked. The upper end of the 95 % interval stands below the limit, over ``least``
    decided questions or more.
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
    """A rejected question with the reasons that people gave, to be shown to a model as one not to write."""

    prompt: str
    question: str
    text: str
    answer: str
    reasons: tuple[str, ...]
    criteria: tuple[str, ...]


def bad_examples(material: ReviewMaterial) -> list[BadExample]:
    """Return the rejected questions with a reason that a model wrote, by prompt: those rejected by most people first.

    ``criteria`` are those that anybody said no to.
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
