"""All figures of an evaluation, from the frame of answers."""

from dataclasses import dataclass, fields
from math import isnan
from typing import TYPE_CHECKING, Any

from kbe_graph.evaluate.comparisons import (
    Comparison,
    PowerRow,
    hop_comparisons,
    model_comparisons,
    power_rows,
    variant_comparisons,
)
from kbe_graph.evaluate.hop_course import (
    ChainRow,
    DifficultyRow,
    TrendRow,
    Unearned,
    chain_rows,
    difficulty_rows,
    trend_rows,
    unearned,
)
from kbe_graph.evaluate.levels import (
    AccuracyRow,
    AnsweredRow,
    ErrorRow,
    TokensRow,
    accuracy_rows,
    answered_rows,
    error_rows,
    token_rows,
)
from kbe_graph.evaluate.outcomes import balanced, outcomes, with_rows

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of an evaluation, a tuple of named rows each; shares and differences are 0 to 1, not per cent.

    ``hops``, ``models`` and ``variants`` are paired differences, ``power`` what those of hops and models could show.

    >>> sorted(work.answers.evaluation(run="demo").results().as_mapping())[:3]
    ['accuracy', 'answered', 'chains']
    """

    accuracy: tuple[AccuracyRow, ...]
    hops: tuple[Comparison, ...]
    models: tuple[Comparison, ...]
    variants: tuple[Comparison, ...]
    trends: tuple[TrendRow, ...]
    chains: tuple[ChainRow, ...]
    unearned: tuple[Unearned, ...]
    errors: tuple[ErrorRow, ...]
    difficulty: tuple[DifficultyRow, ...]
    tokens: tuple[TokensRow, ...]
    answered: tuple[AnsweredRow, ...]
    power: tuple[PowerRow, ...]

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all of it as plain values, for JSON: a list of flat rows by name; what says nothing is None."""
        return {field.name: [_plain(row) for row in getattr(self, field.name)] for field in fields(self)}

    def frames(self) -> "dict[str, pd.DataFrame]":
        """Return a frame by name, for CSV: the same rows as ``as_mapping``."""
        import pandas as pd

        return {name: pd.DataFrame(rows) for name, rows in self.as_mapping().items()}


def results(answers: "pd.DataFrame", *, seed: int = 0) -> Results:
    """Return the figures of the answers, a frame as of ``answers_frame``; the seed is that of the bootstraps.

    Raises InputError where the questions are of more than one run of evolution.
    """
    rows = with_rows(answers)
    own = outcomes(rows)
    level = balanced(own)
    hops, models = hop_comparisons(own, "all", seed=seed), model_comparisons(own, seed=seed)
    return Results(
        accuracy=(*accuracy_rows(own, rows, "all"), *accuracy_rows(level, rows, "balanced")),
        hops=(*hops, *hop_comparisons(level, "balanced", seed=seed)),
        models=tuple(models),
        variants=tuple(variant_comparisons(own, seed=seed)),
        trends=(*trend_rows(own, "all", seed=seed), *trend_rows(level, "balanced", seed=seed)),
        chains=tuple(chain_rows(own)),
        unearned=tuple(unearned(own)),
        errors=tuple(error_rows(own)),
        difficulty=tuple(difficulty_rows(own, seed=seed)),
        tokens=tuple(token_rows(rows)),
        answered=tuple(answered_rows(rows)),
        power=tuple(power_rows([*hops, *models])),
    )


def _plain(row: Any) -> dict[str, Any]:
    """Return a named row as a mapping: rows within it are spread out, numbers with six digits."""
    flat: dict[str, Any] = {}
    for name, value in row._asdict().items():
        flat |= _plain(value) if hasattr(value, "_asdict") else {name: _number(value)}
    return flat


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if isnan(value) else float(f"{value:.{_DIGITS}g}")
