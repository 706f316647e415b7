"""The figures of what models were asked that the evaluation itself has not: strict match, and failures row by row."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kbe_graph.evaluate.accuracy import AccuracyRow, accuracy_rows
from kbe_graph.evaluate.answer_match import ground_truth
from kbe_graph.evaluate.outcomes import IMAGE, outcomes, with_rows
from kbe_graph.evaluate.score_rules import SCORE_RULES
from kbe_graph.guess.riddle import RAW_ROW, RESELECTED_ROW
from kbe_graph.pages.report_values import DifficultyBar, JudgeFigure
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import pandas as pd


def row_order(row: str) -> tuple[object, ...]:
    """Return what puts rows in order: raw, re-selected, then hop by hop."""
    return row != RAW_ROW, row != RESELECTED_ROW, len(row), row


def with_strict(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> "pd.DataFrame":
    """Return the answers with a column ``strict``: whether the text is the answer, letter by letter (KBE, Table 4).

    ``answers`` is as ``answers_frame`` makes it, ``questions`` and ``samples`` are by id.
    """
    exact = SCORE_RULES["exact"].score
    truths = {id_: ground_truth(questions[id_], samples[questions[id_].sample]) for id_ in set(answers["question"])}
    strict = [bool(exact(text, truths[id_])) for text, id_ in zip(answers["text"], answers["question"], strict=True)]
    return answers.assign(strict=strict)


def strict_accuracy(answers: "pd.DataFrame") -> list[AccuracyRow]:
    """Return the accuracy by strict match of what was asked as it stands, from answers ``with_strict``."""
    rows = with_rows(answers[answers["variant"] == IMAGE])
    rows = rows.assign(right=rows["strict"].astype("boolean"))
    return accuracy_rows(outcomes(rows), rows, "all")


def difficulty(answers: "pd.DataFrame") -> tuple[DifficultyBar, ...]:
    """Return how many questions of each row are failed by none, one, ... or all models; all must have been judged."""
    own = outcomes(with_rows(answers[answers["variant"] == IMAGE]))
    wrong = own.assign(wrong=own["right"] < 0.5)
    questions = wrong.groupby(["row", "question"])["wrong"].agg(["sum", "size"]).reset_index()
    models = own["model"].nunique()
    counts = questions[questions["size"] == models].groupby(["row", "sum"]).size()
    rows = sorted(set(questions["row"]), key=row_order)
    return tuple(
        DifficultyBar(row, failing, int(counts.get((row, failing), 0))) for row in rows for failing in range(models + 1)
    )


def judge_figures(answers: "pd.DataFrame") -> tuple[JudgeFigure, ...]:
    """Return for each model how far its judge and strict match agree, from answers ``with_strict``."""
    judged = answers[answers["right"].notna()]
    return tuple(_judge_figure(str(model), rows) for model, rows in judged.groupby("model"))


def _judge_figure(model: str, rows: "pd.DataFrame") -> JudgeFigure:
    right, strict = rows["right"].astype(bool), rows["strict"]
    judges = ", ".join(sorted(set(rows["judge"]) - {""}))
    return JudgeFigure(model, judges, len(rows), int(right.sum()), int(strict.sum()), int((right == strict).sum()))
