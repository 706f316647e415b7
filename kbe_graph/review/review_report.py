"""The review report: how many questions people approve, by the questions' traits; opinions, agreement and time."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kbe_graph.brief import brief
from kbe_graph.review.state import QuestionState, ReviewedItem, current_items, first_version, row_name, state_in_words
from kbe_graph.statistics.intervals import Measurement, agreement, calm, mean_share
from kbe_graph.types import CRITERIA, OPINIONS, Question, Review

if TYPE_CHECKING:
    import pandas as pd

PAPER = 6.9  # reviewed questions per kept question in WikiVQABench: 2,369 for 344
TRAITS = ("all", "hop", "relation", "source", "pattern", "prompt", "model")
DECIDED = ("approved", "revised", "rejected")


@brief("counts")
class Findings(NamedTuple):
    """What decisions or ratings show: figures by name, and rows by table; cells of rows may be measurements.

    >>> work.review.report(run="demo").counts["questions"]
    0
    """

    counts: Mapping[str, float | None]
    rows: Mapping[str, Sequence[Mapping[str, Any]]]

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Return the tables that have rows, by name, with measurements as text."""
        import pandas as pd

        return {name: pd.DataFrame([_in_words(row) for row in rows]) for name, rows in self.rows.items() if rows}

    def notes(self) -> list[str]:
        """Return the reasons why figures or intervals are missing."""
        cells = (cell for rows in self.rows.values() for row in rows for cell in row.values())
        notes = (f"{cell.measure}: {cell.note}" for cell in cells if isinstance(cell, Measurement) and cell.note)
        return list(dict.fromkeys(notes))

    def as_mapping(self) -> dict[str, Any]:
        """Convert the findings to plain values for JSON."""
        return {"counts": self.counts} | {name: [_plain(row) for row in rows] for name, rows in self.rows.items()}


def _in_words(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cell.in_words() if isinstance(cell, Measurement) else cell for name, cell in row.items()}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cell._asdict() if isinstance(cell, Measurement) else cell for name, cell in row.items()}


def review_report(items: Sequence[ReviewedItem], states: Mapping[str, QuestionState], *, seed: int = 0) -> Findings:
    """Summarise the decisions that count on first versions, each question in the state of its current version.

    The table ``acceptance`` counts the reviewed questions by trait, with the share of approved among decided ones;
    ``opinions`` counts the words on each criterion; ``agreement`` compares the first two reviewers of each question.

    Figures for fewer than six items have no interval.
    """
    last = {first_version(item.question.id): state_in_words(item, states) for item in current_items(items, states)}
    questions = [item.question for item in items if item.question.status != "revised"]
    reviewed = [
        (question, states[question.id]._replace(state=last[question.id]))
        for question in questions
        if states[question.id].counted
    ]
    reviews = [review for _, state in reviewed for review in state.counted]
    number: Counter[str] = Counter(state.state for _, state in reviewed)
    kept, seconds = number["approved"] + number["revised"], [each.seconds for each in reviews if each.seconds]
    counts = {
        "questions": len(reviewed),
        **{state: number[state] for state in (*DECIDED, "disputed")},
        "reviewers": len({review.reviewer for review in reviews}),
        "decisions": len(reviews),
        "reviewed_per_kept": (kept + number["rejected"]) / kept if kept else None,
        "paper_reviewed_per_kept": PAPER,
        "median_seconds": median(seconds) if seconds else None,
        "hours": sum(seconds) / 3600,
    }
    pairs = [state.counted[:2] for _, state in reviewed if len(state.counted) > 1]
    rows = {
        "acceptance": _acceptance(reviewed),
        "opinions": list(_opinions(reviews)),
        "agreement": list(_agreement(pairs, seed)),
    }
    return Findings(counts, rows)


def _acceptance(reviewed: Sequence[tuple[Question, QuestionState]]) -> list[Mapping[str, Any]]:
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for question, state in reviewed:
        for place in {("all", "all"), *_traits(question)}:
            counts[place][state.state] += 1
    rows = []
    for (by, name), own in counts.items():
        approved, revised, rejected = (own[state] for state in DECIDED)
        share = mean_share("approved", np.repeat([1.0, 0.0], [approved, revised + rejected]), "none is decided")
        numbers = {"questions": own.total(), "approved": approved, "revised": revised, "rejected": rejected}
        rows.append({"by": by, "name": name, **numbers, "disputed": own["disputed"], "share": calm(share)})
    return sorted(rows, key=lambda row: (TRAITS.index(row["by"]), -row["questions"], row["name"]))


def _traits(question: Question) -> Iterator[tuple[str, str]]:
    provenance = question.provenance
    named = {"pattern": provenance.pattern, "prompt": provenance.prompt, "model": provenance.maker}
    yield "hop", row_name(question)
    yield from (("relation", triplet.relation) for triplet in question.key if triplet.graph == "textual")
    yield from (("source", triplet.source) for triplet in question.key if triplet.source)
    yield from ((by, name) for by, name in named.items() if name)


def _opinions(reviews: Sequence[Review]) -> Iterator[Mapping[str, Any]]:
    for criterion in CRITERIA:
        words = Counter(dict(review.criteria).get(criterion) for review in reviews)
        if sides := [1.0] * words["yes"] + [0.0] * words["no"]:
            share = calm(mean_share("yes", np.array(sides), ""))
            yield {"criterion": criterion, **{word: words[word] for word in OPINIONS}, "share": share}


def _agreement(pairs: Sequence[Sequence[Review]], seed: int) -> Iterator[Mapping[str, Any]]:
    for asked in ("verdict", *CRITERIA):
        classes = ("approve", "revise", "reject") if asked == "verdict" else OPINIONS
        ratings = [[_word(review, asked) for review in sorted(pair, key=lambda each: each.reviewer)] for pair in pairs]
        if any(None not in row for row in ratings):
            measured = map(calm, agreement(ratings, classes, seed=seed))
            yield {"asked": asked, "questions": len(pairs), **{each.measure: each for each in measured}}


def _word(review: Review, asked: str) -> str | None:
    return review.verdict if asked == "verdict" else dict(review.criteria).get(asked)
