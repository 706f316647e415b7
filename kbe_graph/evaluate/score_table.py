"""The mean score of each model at each row of questions, by a score rule."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.outcomes import CELL, groups, with_rows
from kbe_graph.inference.clusters import clustered_error
from kbe_graph.scoring.ground_truth import ground_truth
from kbe_graph.scoring.score_rules import SCORE_RULES
from kbe_graph.types import FORMS, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


class ScoreRow(NamedTuple):
    """The mean score of a model at the questions of a row, 0 to 1, and its standard error clustered by image.

    A question counts by its mean over the runs of asking; those that the rule says nothing of are left out.
    """

    rule: str
    benchmark: str
    model: str
    variant: str
    row: str
    questions: int
    score: float
    error: float


def score_rows(
    answers: "pd.DataFrame",
    questions: Mapping[str, Question],
    samples: Mapping[str, Sample],
    rules: Iterable[str],
) -> list[ScoreRow]:
    """Return the scores by rules of ``SCORE_RULES``. Raises InputError.

    ``answers`` is as ``answers_frame`` makes it; ``questions`` and ``samples`` are by id. Answers to questions in other
    forms are left out: the rules are for words of one's own.
    """
    import pandas as pd

    chosen = {name: SCORE_RULES.require(name) for name in rules}
    answers = with_rows(answers[~answers["variant"].isin(FORMS)])
    truths = {id_: ground_truth(questions[id_], samples[questions[id_].sample]) for id_ in set(answers["question"])}
    rows: list[ScoreRow] = []
    for name, rule in chosen.items():
        pairs = zip(answers["text"], answers["question"], strict=True)
        scores = pd.Series([rule.score(text, truths[id_]) for text, id_ in pairs], answers.index, dtype="Float64")
        rows += _mean_rows(name, answers.assign(score=scores.astype(float)).dropna(subset="score"))
    return rows


def _mean_rows(rule: str, scored: "pd.DataFrame") -> list[ScoreRow]:
    means = scored.groupby([*CELL, "question", "image"], sort=False)["score"].mean().reset_index()
    return [
        ScoreRow(
            rule,
            *(benchmark, model, variant, row),
            questions=len(group),
            score=float(group["score"].mean()),
            error=clustered_error(group["score"], group["image"]),
        )
        for (benchmark, model, variant, row), group in groups(means, CELL)
    ]
