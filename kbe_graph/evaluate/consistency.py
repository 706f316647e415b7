"""Self-consistency of a model: over rotations of the options, and over repeated runs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.outcomes import CELL, JUDGED_MODEL, PARAPHRASE, groups, judged_by, judges_of
from kbe_graph.evaluate.prompting import CIRCULAR
from kbe_graph.statistics.intervals import clustered_error, clustered_wilson
from kbe_graph.text import fold
from kbe_graph.types import VARIANTS

if TYPE_CHECKING:
    import pandas as pd


class CircularRow(NamedTuple):
    """Share of questions answered correctly in every rotation of their options, by a judge (CircularEval, MMBench).

    ``questions`` counts those with a judged answer for every rotation; ``incomplete`` counts the others, which are left
    out. ``accuracy`` is the mean over all rotations of the former.
    """

    benchmark: str
    model: str
    judge: str
    row: str
    questions: int
    incomplete: int
    images: int
    accuracy: float
    all_right: float
    low: float
    high: float
    error: float


class StabilityRow(NamedTuple):
    """Share of repeated questions that a model answers the same in every run, with its 95 % interval.

    Case, articles and punctuation are ignored. ``same_verdict`` is the share with one single verdict among the
    questions whose answers were all judged; None if there are none.
    """

    benchmark: str
    model: str
    judge: str
    variant: str
    row: str
    questions: int
    runs: int
    same_answer: float
    low: float
    high: float
    same_verdict: float | None


def circular_rows(answers: "pd.DataFrame") -> list[CircularRow]:
    """Compute a CircularRow for each benchmark, model, judge and row from answers ``with_rows``."""
    asked = answers[answers["variant"] == CIRCULAR]
    return [row for judge in judges_of(asked) for row in _circular_rows(judged_by(asked, judge))]


def _circular_rows(asked: "pd.DataFrame") -> Iterator[CircularRow]:
    for (benchmark, model, judge, row), group in groups(asked, [*JUDGED_MODEL, "row"]):
        if group["right"].isna().all():  # judged by another judge only
            continue
        rotations = group.dropna(subset="right").astype({"right": float}).groupby("question", sort=False)
        table = rotations.agg(
            right=("right", "mean"), answered=("run", "nunique"), options=("options", "first"), image=("image", "first")
        )
        whole = table[table["answered"] == table["options"]]
        all_right = (whole["right"] == 1).astype(float)
        incomplete = group["question"].nunique() - len(whole)
        yield CircularRow(
            *(benchmark, model, judge, row, len(whole), incomplete, whole["image"].nunique()),
            float(whole["right"].mean()),
            float(all_right.mean()),
            *clustered_wilson(all_right, whole["image"]),
            clustered_error(all_right, whole["image"]),
        )


def stability_rows(answers: "pd.DataFrame") -> list[StabilityRow]:
    """Compute a StabilityRow for each benchmark, model, judge, variant and row of questions asked more than once.

    The variants of an operation are left out, since each seed is a different question. Of a question's paraphrases only
    the first wording counts.
    """
    asking = ["model", "variant", "question"]
    answers = answers[answers["variant"].isin(VARIANTS)]
    has_first_words = answers["asked"] == answers.groupby(asking)["asked"].transform("first")
    answers = answers[has_first_words | (answers["variant"] != PARAPHRASE)]
    again = answers.groupby(asking)["run"].transform("nunique") > 1
    asked = answers[again].assign(folded=lambda frame: frame["text"].map(fold))
    return [
        _stability_row(cell, judge, judged_by(group, judge))
        for cell, group in groups(asked, CELL)
        for judge in judges_of(group) or [""]
    ]


def _stability_row(cell: tuple[str, ...], judge: str, group: "pd.DataFrame") -> StabilityRow:
    benchmark, model, variant, row = cell
    by_question = group.groupby("question", sort=False)
    same = (by_question["folded"].agg("nunique") < 2).astype(float)
    is_judged = by_question["right"].count() == by_question["right"].size()
    has_one_verdict = (by_question["right"].agg("nunique") < 2)[is_judged]
    return StabilityRow(
        *(benchmark, model, judge, variant, row, len(same), int(group["run"].nunique())),
        float(same.mean()),
        *clustered_wilson(same, by_question["image"].first()),
        float(has_one_verdict.mean()) if len(has_one_verdict) else None,
    )
