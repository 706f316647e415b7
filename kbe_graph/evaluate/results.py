"""All figures of an evaluation, from the frame of answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import (
    AccuracyRow,
    AnsweredRow,
    ChainRow,
    DifficultyRow,
    ErrorRow,
    RightAfterWrong,
    TokensRow,
    TrendRow,
    accuracy_rows,
    answered_rows,
    chain_rows,
    difficulty_rows,
    error_rows,
    right_after_wrong,
    token_rows,
    trend_rows,
)
from kbe_graph.evaluate.comparisons import (
    Comparison,
    PowerRow,
    hop_comparisons,
    model_comparisons,
    power_rows,
    variant_comparisons,
)
from kbe_graph.evaluate.consistency import CircularRow, StabilityRow, circular_rows, stability_rows
from kbe_graph.evaluate.outcomes import CELL, balanced, groups, outcomes, with_rows
from kbe_graph.evaluate.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.extras import has_extra
from kbe_graph.statistics.intervals import clustered_error
from kbe_graph.types import FORMS, VARIANTS, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of an evaluation, as tuples of named rows. Shares and differences are from 0 to 1, not per cent.

    ``hops``, ``models`` and ``variants`` are paired differences; ``power`` is the power of those of hops and models.
    ``circular`` are the shares right in every rotation of the options, ``stability`` the shares answered the same in
    every run. Each judge has separate rows. ``surface_table`` compares perturbed questions.

    >>> sorted(work.answers.evaluation(run="demo").results().as_mapping())[:3]
    ['accuracy', 'answered', 'chains']
    """

    accuracy: tuple[AccuracyRow, ...]
    hops: tuple[Comparison, ...]
    models: tuple[Comparison, ...]
    variants: tuple[Comparison, ...]
    trends: tuple[TrendRow, ...]
    chains: tuple[ChainRow, ...]
    right_after_wrong: tuple[RightAfterWrong, ...]
    errors: tuple[ErrorRow, ...]
    difficulty: tuple[DifficultyRow, ...]
    tokens: tuple[TokensRow, ...]
    answered: tuple[AnsweredRow, ...]
    power: tuple[PowerRow, ...]
    circular: tuple[CircularRow, ...] = ()
    stability: tuple[StabilityRow, ...] = ()

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return everything as plain values, for JSON: a list of flat rows by name. An empty value is None."""
        return {field.name: [plain_row(row) for row in getattr(self, field.name)] for field in fields(self)}

    def frames(self) -> "dict[str, pd.DataFrame]":
        """Return a DataFrame by name, for CSV, with the same rows as ``as_mapping``."""
        import pandas as pd

        return {name: pd.DataFrame(rows) for name, rows in self.as_mapping().items()}


def results(answers: "pd.DataFrame", *, seed: int = 0) -> Results:
    """Return the figures of the answers, a frame as of ``answers_frame``; the seed is that of the bootstraps.

    Trends and power are left out without SciPy, which a warning says. Raises InputError where the questions are of more
    than one run of evolution.
    """
    rows = with_rows(answers)
    own = outcomes(rows)
    level = balanced(own)
    has_scipy = not own.empty and has_extra("statistics")
    hops, models = hop_comparisons(own, "all", seed=seed), model_comparisons(own, seed=seed)
    return Results(
        accuracy=(*accuracy_rows(own, rows, "all"), *accuracy_rows(level, rows, "balanced")),
        hops=(*hops, *hop_comparisons(level, "balanced", seed=seed)),
        models=tuple(models),
        variants=tuple(variant_comparisons(own[own["variant"].isin(VARIANTS)], seed=seed)),
        trends=(*trend_rows(own, "all", seed=seed), *trend_rows(level, "balanced", seed=seed)) if has_scipy else (),
        chains=tuple(chain_rows(own)),
        right_after_wrong=tuple(right_after_wrong(own)),
        errors=tuple(error_rows(own)),
        difficulty=tuple(difficulty_rows(own, seed=seed)),
        tokens=tuple(token_rows(rows)),
        answered=tuple(answered_rows(rows)),
        power=tuple(power_rows([*hops, *models])) if has_scipy else (),
        circular=tuple(circular_rows(rows)),
        stability=tuple(stability_rows(rows)),
    )


def plain_row(row: Any) -> dict[str, Any]:
    """Return a named row as a mapping: rows within it are spread out, numbers with six digits."""
    flat: dict[str, Any] = {}
    for name, value in row._asdict().items():
        flat |= plain_row(value) if hasattr(value, "_asdict") else {name: _number(value)}
    return flat


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if isnan(value) else float(f"{value:.{_DIGITS}g}")


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
    truths = truths_of(answers, questions, samples)
    rows: list[ScoreRow] = []
    for name, rule in chosen.items():
        pairs = zip(answers["text"], truths, strict=True)
        scores = pd.Series([rule.score(text, truth) for text, truth in pairs], answers.index, dtype="Float64")
        rows += _mean_rows(name, answers.assign(score=scores.astype(float)).dropna(subset="score"))
    return rows


def truths_of(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> list[GroundTruth]:
    """Return the right answers of each row of ``answers``, as its question was asked."""
    asked = list(zip(answers["question"], answers["variant"], strict=True))
    truths = {
        (id_, variant): ground_truth(questions[id_], samples[questions[id_].sample], variant)
        for id_, variant in set(asked)
    }
    return [truths[each] for each in asked]


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
