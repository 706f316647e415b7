"""Accuracy by model and row, answer lengths, trends over hops, and right answers that follow a wrong hop."""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kbe_graph.evaluate.guessers import RESELECTED_ROW
from kbe_graph.evaluate.outcomes import (
    CELL,
    IMAGE,
    JUDGED_CELL,
    JUDGED_MODEL,
    MODEL,
    earlier,
    groups,
    judged_as,
    judged_by,
    judges_of,
    one_judge,
    outcomes,
    with_rows,
)
from kbe_graph.evaluate.reply_reading import count_silent
from kbe_graph.statistics.intervals import clustered_error, clustered_wilson
from kbe_graph.statistics.paired import correlation, trend

if TYPE_CHECKING:
    import pandas as pd


Samples = Literal["all", "balanced"]


class AccuracyRow(NamedTuple):
    """A model's accuracy on the questions of one row by one judge, with its 95 % interval (KBE, Table 1).

    A question counts as its mean over runs. ``error`` is the standard error clustered by image. If each question was
    asked more than once, ``spread`` is the best run's accuracy minus the worst run's, and ``unsteady`` the share of
    questions right in one run and wrong in another; otherwise both are None.
    """

    samples: Samples
    benchmark: str
    model: str
    judge: str
    variant: str
    row: str
    questions: int
    images: int
    runs: int
    accuracy: float
    low: float
    high: float
    error: float
    spread: float | None
    unsteady: float | None


class AnsweredRow(NamedTuple):
    """Number of questions in a row that a model was asked, answered, and was judged on.

    ``questions`` counts those that any model was asked. ``empty``, ``unread`` and ``refused`` count replies without an
    answer, which are wrong. ``judge`` is empty if nobody judged; a row with several judges is listed once for each.
    """

    benchmark: str
    model: str
    variant: str
    row: str
    questions: int
    asked: int
    answered: int
    judged: int
    missing: float
    empty: int
    unread: int
    refused: int
    judge: str


class TokensRow(NamedTuple):
    """Length of a model's answers to the questions of a row: mean words (KBE, Table 7), and tokens if counted."""

    benchmark: str
    model: str
    variant: str
    row: str
    answers: int
    words: float
    tokens: float | None
    median_tokens: float | None


class ErrorRow(NamedTuple):
    """Share of the explored questions with one last relation, or from one source, that a model answers wrongly."""

    benchmark: str
    model: str
    judge: str
    by: str
    name: str
    questions: int
    wrong: float
    low: float
    high: float


def accuracy_rows(outcomes: "pd.DataFrame", answers: "pd.DataFrame", samples: Samples) -> list[AccuracyRow]:
    """Return the accuracy for each benchmark, model, judge, variant and row."""
    spreads = _spreads(outcomes, answers)
    rows = []
    for (benchmark, model, judge, variant, row), group in groups(outcomes, JUDGED_CELL):
        right, image = group["right"], group["image"]
        low, high = clustered_wilson(right, image)
        accuracy_row = AccuracyRow(
            samples,
            benchmark,
            model,
            judge,
            variant,
            row,
            questions=len(group),
            images=image.nunique(),
            runs=int(group["runs"].max()),
            accuracy=float(right.mean()),
            low=low,
            high=high,
            error=clustered_error(right, image),
            spread=spreads.get((benchmark, model, judge, variant, row)),
            unsteady=float(((right > 0) & (right < 1)).mean()) if group["runs"].min() > 1 else None,
        )
        rows.append(accuracy_row)
    return rows


def _spreads(outcomes: "pd.DataFrame", answers: "pd.DataFrame") -> dict[tuple[str, ...], float]:
    """Return the best run's accuracy minus the worst run's, by cell.

    Only cells with at least two runs, in each of which every question was judged, are included.
    """
    spreads: dict[tuple[str, ...], float] = {}
    if len(set(answers["run"])) < 2:
        return spreads
    key = ["model", "judge", "variant", "question"]
    for judge in judges_of(answers):
        judged = judged_by(answers, judge).dropna(subset="right").merge(outcomes[key], on=key)
        drawn = judged[judged.groupby(JUDGED_CELL)["run"].transform("nunique") > 1]
        for cell, group in groups(drawn, JUDGED_CELL):
            first = group.groupby(["question", "run"])["right"].first().astype(float)
            runs = first.unstack("run")  # noqa: PD010 - a pivot_table takes twice as long
            if runs.notna().all(axis=None):
                spreads[cell] = float(runs.mean().max() - runs.mean().min())
    return spreads


def answered_rows(answers: "pd.DataFrame") -> list[AnsweredRow]:
    """Count each model's answered and judged questions by row and judge; ``missing`` is the share left unanswered."""
    whole = answers.groupby(["benchmark", "variant", "row"])["question"].nunique()
    judged = _judged_counts(answers)
    rows = []
    for (benchmark, model, variant, row), group in groups(answers, CELL):
        questions = int(whole[benchmark, variant, row])
        answered = group.loc[group["text"].str.strip() != "", "question"].nunique()
        asked, missing = group["question"].nunique(), 1 - answered / questions
        silent = count_silent(group["read_by"])
        for judge in judges_of(group) or [""]:
            counts = (questions, asked, answered, judged.get((benchmark, model, judge, variant, row), 0), missing)
            rows.append(AnsweredRow(benchmark, model, variant, row, *counts, *silent, judge=judge))
    return rows


def _judged_counts(answers: "pd.DataFrame") -> dict[tuple[str, ...], int]:
    by_judge = (judged_by(answers, judge).dropna(subset="right") for judge in judges_of(answers))
    return {cell: group["question"].nunique() for judged in by_judge for cell, group in groups(judged, JUDGED_CELL)}


def token_rows(answers: "pd.DataFrame") -> list[TokensRow]:
    """Return the mean length of each model's answers by row; an empty answer has 0 words."""
    return [
        TokensRow(
            benchmark,
            model,
            variant,
            row,
            answers=len(group),
            words=float(words(group["text"]).mean()),
            tokens=float(group["tokens"].mean()) if group["tokens"].notna().any() else None,
            median_tokens=float(group["tokens"].median()) if group["tokens"].notna().any() else None,
        )
        for (benchmark, model, variant, row), group in groups(answers, CELL)
    ]


def words(texts: "pd.Series[str]") -> "pd.Series[int]":
    """Return the number of words in each text."""
    return texts.map(lambda text: len(text.split()))


def error_rows(outcomes: "pd.DataFrame") -> list[ErrorRow]:
    """Return the error rates on explored questions by last relation and by source, largest groups first."""
    explored = outcomes[(outcomes["variant"] == IMAGE) & (outcomes["hop"] > 0)]
    rows = []
    for by in ("relation", "source"):
        for (benchmark, model, judge, name), group in groups(explored, [*JUDGED_MODEL, by]):
            wrong = 1 - group["right"]
            ends = clustered_wilson(wrong, group["image"])
            rows.append(ErrorRow(benchmark, model, judge, by, name, len(group), float(wrong.mean()), *ends))
    return sorted(rows, key=lambda row: (row.benchmark, row.model, row.judge, row.by, -row.questions, row.name))


def accuracy_table(answers: "pd.DataFrame", *, right: str = "right", judge: str | None = None) -> "pd.DataFrame":
    """Return the percentage right by benchmark and model (index) and row: raw, hop 1 ... (KBE, Tables 1 and 4).

    ``judge`` defaults to the one that judged most answers. ``right`` names the column of verdicts (True, False or NA);
    pass another column for Table 4, for example the verdicts of a strict match. A question counts as its mean over
    runs. Raises InputError for a judge without verdicts.
    """
    if right == "right":
        answers = one_judge(answers, judge)
    table = outcomes(with_rows(judged_as(answers, answers[right], right)))
    return _by_row(table, 100 * table["right"])


def words_table(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Return the mean words per answer by benchmark and model (index) and row: raw, hop 1 ... (KBE, Table 7)."""
    table = with_rows(answers)
    return _by_row(table, words(table["text"]))


def _by_row(table: "pd.DataFrame", figures: "pd.Series[Any]") -> "pd.DataFrame":
    asked = table.assign(figure=figures)[(table["variant"] == IMAGE) & (table["row"] != RESELECTED_ROW)]
    rows = list(dict.fromkeys(asked.sort_values("hop", kind="stable")["row"]))
    return asked.pivot_table(index=MODEL, columns="row", values="figure", aggfunc="mean").reindex(columns=rows)


class TrendRow(NamedTuple):
    """Change in accuracy per hop, starting from raw, with its 95 % interval and the p-value of no trend."""

    samples: Samples
    benchmark: str
    model: str
    judge: str
    questions: int
    slope: float
    low: float
    high: float
    p: float


class DifficultyRow(NamedTuple):
    """Pearson correlation between the number of key edges, |E_K|, and being wrong, with its 95 % interval."""

    benchmark: str
    model: str
    judge: str
    questions: int
    correlation: float
    low: float
    high: float


class ChainRow(NamedTuple):
    """Share of a row's questions answered correctly, given that the question each grew from is right or wrong.

    ``earlier`` is the verdict on that question: "right" or "wrong".
    """

    benchmark: str
    model: str
    judge: str
    row: str
    earlier: str
    questions: int
    right: float
    low: float
    high: float


class RightAfterWrong(NamedTuple):
    """A question answered correctly although the one it grew from was answered wrongly: a guess, or memory."""

    benchmark: str
    model: str
    judge: str
    question: str
    row: str
    earlier_row: str


def trend_rows(outcomes: "pd.DataFrame", samples: Samples, *, seed: int = 0) -> list[TrendRow]:
    """Return the trend over raw and explored questions for each model that was asked at more than one hop."""
    asked = outcomes[(outcomes["variant"] == IMAGE) & (outcomes["row"] != RESELECTED_ROW)]
    return [
        TrendRow(
            *(samples, benchmark, model, judge, len(group)),
            *trend(group["hop"], group["right"], group["image"], seed=seed),
        )
        for (benchmark, model, judge), group in groups(asked, JUDGED_MODEL)
        if len(set(group["hop"])) > 1
    ]


def difficulty_rows(outcomes: "pd.DataFrame", *, seed: int = 0) -> list[DifficultyRow]:
    """Return the correlation of |E_K| with each model's errors over the questions of all rows."""
    rows = []
    for (benchmark, model, judge), group in groups(outcomes[outcomes["variant"] == IMAGE], JUDGED_MODEL):
        figures = correlation(group["key_edges"], 1 - group["right"], group["image"], seed=seed)
        rows.append(DifficultyRow(benchmark, model, judge, len(group), *figures))
    return rows


def chain_rows(outcomes: "pd.DataFrame") -> list[ChainRow]:
    """Return the share of right answers at each hop given the verdict on the hop before.

    Pairs whose earlier question is right in exactly half of the runs are left out.
    """
    chain = earlier(outcomes)
    chain = chain[chain["earlier_right"] != 0.5].assign(earlier=lambda frame: _verdict(frame["earlier_right"] > 0.5))
    rows = []
    for (benchmark, model, judge, row, verdict), group in groups(chain, [*JUDGED_MODEL, "row", "earlier"]):
        ends = clustered_wilson(group["right"], group["image"])
        rows.append(ChainRow(benchmark, model, judge, row, verdict, len(group), float(group["right"].mean()), *ends))
    return sorted(rows, key=lambda row: (row.benchmark, row.model, row.judge, len(row.row), row.row, row.earlier))


def _verdict(right: "pd.Series[bool]") -> "pd.Series[str]":
    return right.map({True: "right", False: "wrong"})


def right_after_wrong(outcomes: "pd.DataFrame") -> list[RightAfterWrong]:
    """List the questions right in most runs whose earlier question is wrong in most runs, by model."""
    chain = earlier(outcomes)
    chain = chain[(chain["right"] > 0.5) & (chain["earlier_right"] < 0.5)]
    columns = [*JUDGED_MODEL, "question", "row", "earlier_row"]
    return [RightAfterWrong(*row) for row in chain[columns].itertuples(index=False)]
