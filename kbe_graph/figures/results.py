"""All figures of an evaluation, computed from the frame of answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from kbe_graph.figures import accuracy, comparisons
from kbe_graph.figures.accuracy import AccuracyRow
from kbe_graph.figures.comparisons import Comparison, compare
from kbe_graph.figures.outcomes import CELL, Rows, balanced, outcomes, plain_row, rows_by, with_rows
from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.statistics.intervals import clustered_error
from kbe_graph.statistics.paired import can_test
from kbe_graph.types import FORMS, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of an evaluation, each a table of rows; shares and differences are 0 to 1, not percentages.

    ``hops``, ``models`` and ``variants`` are paired differences; ``power`` is the power of those of hops and models.
    ``circular`` holds the shares right in every rotation of the options, ``stability`` the shares answered the same in
    every run. Each judge has its own rows. Perturbed questions are compared in ``surface_table``.

    >>> sorted(work.answers.evaluation(run="demo").results().as_mapping())[:3]
    ['accuracy', 'answered', 'chains']
    """

    accuracy: tuple[AccuracyRow, ...]
    hops: tuple[Comparison, ...]
    models: tuple[Comparison, ...]
    variants: tuple[Comparison, ...]
    trends: Rows
    chains: Rows
    right_after_wrong: Rows
    errors: Rows
    difficulty: Rows
    tokens: Rows
    answered: Rows
    power: Rows
    circular: Rows
    stability: Rows

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all figures as plain values for JSON: a list of flat rows by name; an undefined value is None."""
        return {field.name: [plain_row(row) for row in getattr(self, field.name)] for field in fields(self)}


def results(answers: "pd.DataFrame", *, seed: int = 0) -> Results:
    """Compute all figures from a frame of answers (see ``answers_frame``); ``seed`` is that of the bootstraps.

    Without the extra ``figures``, trends and power are left out, and a warning says so. Raises InputError if the
    questions come from more than one evolution.
    """
    rows = with_rows(answers)
    own = outcomes(rows)
    level = balanced(own)
    has_scipy = not own.empty and can_test()
    hops = compare(comparisons.between_hops(own), seed=seed)
    models = compare(comparisons.between_models(own), seed=seed)
    trends: Rows = []
    if has_scipy:
        trends = accuracy.trend_rows(own, "all", seed=seed) + accuracy.trend_rows(level, "balanced", seed=seed)
    return Results(
        accuracy=(*accuracy.accuracy_rows(own, rows, "all"), *accuracy.accuracy_rows(level, rows, "balanced")),
        hops=(*hops, *compare(comparisons.between_hops(level), "balanced", seed=seed)),
        models=tuple(models),
        variants=tuple(compare(comparisons.between_variants(own), seed=seed)),
        trends=trends,
        chains=accuracy.chain_rows(own),
        right_after_wrong=accuracy.right_after_wrong(own),
        errors=accuracy.error_rows(own),
        difficulty=accuracy.difficulty_rows(own, seed=seed),
        tokens=accuracy.token_rows(rows),
        answered=accuracy.answered_rows(rows),
        power=comparisons.power_rows([*hops, *models]) if has_scipy else [],
        circular=accuracy.circular_rows(rows),
        stability=accuracy.stability_rows(rows),
    )


def score_rows(
    answers: "pd.DataFrame",
    questions: Mapping[str, Question],
    samples: Mapping[str, Sample],
    rules: Iterable[str],
) -> Rows:
    """Compute each model's mean score, 0 to 1, by rules of ``SCORE_RULES``, with its error clustered by image.

    ``answers`` has the form of ``answers_frame``; ``questions`` and ``samples`` are keyed by id. A question counts as
    its mean over runs; questions that a rule does not apply to are left out, and those in other forms, because the
    rules score free-text answers. Raises InputError for an unknown rule.
    """
    import pandas as pd

    chosen = {name: SCORE_RULES.require(name) for name in rules}
    answers = with_rows(answers[~answers["variant"].isin(FORMS)])
    truths = truths_of(answers, questions, samples)
    rows: Rows = []
    for name, rule in chosen.items():
        pairs = zip(answers["text"], truths, strict=True)
        scores = pd.Series([rule.score(text, truth) for text, truth in pairs], answers.index, dtype="Float64")
        scored = answers.assign(score=scores.astype(float)).dropna(subset="score")
        means = scored.groupby([*CELL, "question", "image"], sort=False)["score"].mean().reset_index()
        rows += ({"rule": name, **row} for row in rows_by(means, CELL, _mean_score))
    return rows


def _mean_score(means: "pd.DataFrame") -> dict[str, Any]:
    error = clustered_error(means["score"], means["image"])
    return {"questions": len(means), "score": float(means["score"].mean()), "error": error}


def truths_of(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> list[GroundTruth]:
    """Return the right answers for each row of ``answers``, given how its question was asked."""
    asked = list(zip(answers["question"], answers["variant"], strict=True))
    truths = {
        (id_, variant): ground_truth(questions[id_], samples[questions[id_].sample], variant)
        for id_, variant in set(asked)
    }
    return [truths[each] for each in asked]
