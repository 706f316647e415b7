"""The review report: acceptance, agreement, time, blind answers, trust in models, and proposals."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kbe_graph.evaluate.score_rules import GroundTruth, alias_match
from kbe_graph.review.acceptance import (
    AcceptanceRow,
    BadExample,
    RelationProposal,
    acceptance,
    bad_examples,
    block_list,
)
from kbe_graph.review.material import ReviewMaterial
from kbe_graph.review.trust import TrustRow, trust
from kbe_graph.statistics.intervals import Measurement, calm, mean_share
from kbe_graph.statistics.rater_agreement import AgreementRow, agreement_rows
from kbe_graph.text import fold
from kbe_graph.types import CRITERIA, Review

if TYPE_CHECKING:
    from kbe_graph.review.review_tables import ReviewTable

PAPER = 6.9  # reviewed questions per kept question in WikiVQABench: 2,369 for 344
VERDICT_CLASSES = ("approve", "revise", "reject")
OPINION_CLASSES = ("yes", "no", "unsure")


class ReviewCounts(NamedTuple):
    """The numbers of reviewed questions by state, of reviewers, and of decisions that count.

    ``reviewed_per_kept`` is the number of decided questions per kept (approved or revised) one, None if none is kept;
    the paper's is 6.9.
    """

    questions: int
    approved: int
    revised: int
    rejected: int
    disputed: int
    reviewers: int
    decisions: int
    reviewed_per_kept: float | None


class ReviewTime(NamedTuple):
    """The seconds per decision: the number of timed decisions, the median, the quartiles, and the total in hours."""

    timed: int
    median: float
    lower: float
    upper: float
    hours: float


class OpinionRow(NamedTuple):
    """The opinions on a criterion: the numbers of yes, no and unsure, and the share of yes among yes and no."""

    criterion: str
    yes: int
    no: int
    unsure: int
    share: Measurement


class BlindPicks(NamedTuple):
    """The answers that reviewers gave before they saw the key.

    ``right`` is the share that the key accepts, and ``ambiguous`` the share of other options that a reviewer flagged as
    also right.
    """

    picks: int
    right: Measurement
    ambiguous: Measurement


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """The findings from reviews; ``limit`` and ``least`` are the parameters of the proposed block list.

    ``blocked`` are the relations that the settings already block, None if they have no ``[filters]``.

    ``time`` and ``picks`` are None if nothing was timed or picked blind; ``agreement`` is empty if no question has two
    reviewers.

    >>> work.review.report(run="demo").counts.questions
    0
    """

    counts: ReviewCounts
    acceptance: tuple[AcceptanceRow, ...] = ()
    opinions: tuple[OpinionRow, ...] = ()
    agreement: tuple[AgreementRow, ...] = ()
    time: ReviewTime | None = None
    picks: BlindPicks | None = None
    trust: tuple[TrustRow, ...] = ()
    relations: tuple[RelationProposal, ...] = ()
    examples: tuple[BadExample, ...] = ()
    limit: float = 0.5
    least: int = 6
    blocked: Collection[str] | None = None

    def lines(self) -> list[str]:
        """List the findings in words."""
        from kbe_graph.review.review_tables import review_lines

        return list(review_lines(self))

    def tables(self) -> "list[ReviewTable]":
        """List the tables that have rows."""
        from kbe_graph.review.review_tables import review_tables

        return review_tables(self)

    def block_list_lines(self) -> list[str]:
        """List the ``kbe.toml`` lines that block proposed and already blocked relations; empty without proposals."""
        from kbe_graph.review.review_tables import block_list_lines

        return block_list_lines(self)

    def as_mapping(self) -> dict[str, Any]:
        """Convert the report to plain values for JSON."""
        relations = [_plain(each) for each in self.relations]
        block = {
            "limit": self.limit,
            "least": self.least,
            "relations": relations,
            "setting": "\n".join(self.block_list_lines()),
        }
        return {
            "counts": self.counts._asdict() | {"paper_reviewed_per_kept": PAPER},
            "time": self.time and self.time._asdict(),
            "acceptance": [_plain(row) for row in self.acceptance],
            "opinions": [_plain(row) for row in self.opinions],
            "agreement": [row._asdict() for row in self.agreement],
            "picks": self.picks and _plain(self.picks),
            "trust": [_plain(row) for row in self.trust],
            "proposals": {"block_list": block, "bad_examples": [each._asdict() for each in self.examples]},
        }


def _plain(row: Any) -> dict[str, Any]:
    return {name: value._asdict() if isinstance(value, Measurement) else value for name, value in row._asdict().items()}


def review_report(
    material: ReviewMaterial,
    *,
    limit: float = 0.5,
    least: int = 6,
    seed: int = 0,
    blocked: Collection[str] | None = None,
) -> ReviewReport:
    """Summarise the decisions that count, without the versions that reviewers wrote.

    A relation is proposed for the block list if its approved share is significantly below ``limit``, over at least
    ``least`` decided questions, if hops add it, and if it is not ``blocked``. Figures for fewer than six items have no
    interval.
    """
    material = material.originals
    rows = acceptance(material)
    return ReviewReport(
        _counts(material, rows),
        tuple(rows),
        tuple(_opinions(material)),
        tuple(_agreement(material, seed)),
        _time(material.counted),
        _picks(material),
        tuple(trust(material)),
        tuple(block_list(rows, _blockable(material, blocked or ()), limit=limit, least=least)),
        tuple(bad_examples(material)),
        limit,
        least,
        blocked,
    )


def _blockable(material: ReviewMaterial, blocked: Collection[str]) -> set[str]:
    already = set(map(fold, blocked))
    relations = {triplet.relation for question in material.questions for triplet in question.explored}
    return {relation for relation in relations if fold(relation) not in already}


def _counts(material: ReviewMaterial, rows: Sequence[AcceptanceRow]) -> ReviewCounts:
    every = next((row for row in rows if row.by == "all"), None)
    states = (every.questions, every.approved, every.revised, every.rejected, every.disputed) if every else (0,) * 5
    kept = every.approved + every.revised if every else 0
    reviewers = {review.reviewer for review in material.counted}
    per_kept = every.decided / kept if every and kept else None
    return ReviewCounts(*states, len(reviewers), len(material.counted), per_kept)


def _opinions(material: ReviewMaterial) -> Iterator[OpinionRow]:
    for criterion in CRITERIA:
        counts = Counter(dict(review.criteria).get(criterion) for review in material.counted)
        if sides := [1.0] * counts["yes"] + [0.0] * counts["no"]:
            share = calm(mean_share("yes", np.array(sides), ""))
            yield OpinionRow(criterion, counts["yes"], counts["no"], counts["unsure"], share)


def _agreement(material: ReviewMaterial, seed: int) -> Iterator[AgreementRow]:
    pairs = [state.counted[:2] for state in material.states.values() if len(state.counted) > 1]
    reviewers = sorted({review.reviewer for pair in pairs for review in pair})
    for asked in ("verdict", *CRITERIA):
        classes = VERDICT_CLASSES if asked == "verdict" else OPINION_CLASSES
        ratings = [[_word(review, asked) for review in _in_columns(pair, reviewers)] for pair in pairs]
        if any(None not in row for row in ratings):
            rows = agreement_rows(asked, ratings, classes, same_two=len(reviewers) == 2, seed=seed)
            yield from (_calm_row(row) for row in rows)


def _in_columns(pair: Sequence[Review], reviewers: Sequence[str]) -> Sequence[Review]:
    return sorted(pair, key=lambda review: reviewers.index(review.reviewer))


def _word(review: Review, asked: str) -> str | None:
    return review.verdict if asked == "verdict" else dict(review.criteria).get(asked)


def _calm_row(row: AgreementRow) -> AgreementRow:
    return AgreementRow(row.between, *calm(Measurement(*row[1:])))


def _time(reviews: Sequence[Review]) -> ReviewTime | None:
    seconds = [review.seconds for review in reviews if review.seconds > 0]
    if not seconds:
        return None
    lower, median, upper = np.quantile(seconds, (0.25, 0.5, 0.75)).tolist()
    return ReviewTime(len(seconds), median, lower, upper, sum(seconds) / 3600)


def _picks(material: ReviewMaterial) -> BlindPicks | None:
    questions = {question.id: question for question in material.questions}
    right, ambiguous = [], []
    for id_, state in material.states.items():
        question = questions[id_]
        truth = GroundTruth(question.answer, question.aliases)
        flagged = {fold(option) for review in state.counted for option, flag in review.options if flag == "also right"}
        picks = [review.pick for review in state.counted if review.pick]
        right += [alias_match(pick, truth) for pick in picks]
        ambiguous += [float(fold(pick) in flagged) for pick in picks]
    if not right:
        return None
    shares = (mean_share(name, np.array(own), "") for name, own in (("right", right), ("also right", ambiguous)))
    return BlindPicks(len(right), *map(calm, shares))
