"""Accuracy by model and row, with trends, errors and chains; and what a model answers when it is asked again."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kbe_graph.figures.outcomes import (
    CELL,
    IMAGE,
    JUDGED_CELL,
    JUDGED_MODEL,
    PARAPHRASE,
    RESELECTED_ROW,
    Rows,
    earlier,
    groups,
    judged_by,
    judges_of,
    row_of,
    rows_by,
    with_rows,
)
from kbe_graph.scoring.reply_reading import CUT, EMPTY, REFUSED, UNREAD, count_silent
from kbe_graph.statistics.intervals import clustered_error, clustered_wilson
from kbe_graph.statistics.paired import correlation, paired_difference, trend
from kbe_graph.text import fold
from kbe_graph.types import VARIANTS, Question, Sample

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
    error: float | None
    spread: float | None
    unsteady: float | None

    @property
    def right(self) -> str:
        """The right questions of those that count; those asked more than once count in part."""
        return f"{round(self.accuracy * self.questions, 2):g}/{self.questions}"


def accuracy_rows(outcomes: "pd.DataFrame", answers: "pd.DataFrame", samples: Samples) -> list[AccuracyRow]:
    """Return the accuracy for each benchmark, model, judge, variant and row."""
    spreads = _spreads(outcomes, answers)
    rows = []
    for cell, group in groups(outcomes, JUDGED_CELL):
        right, image, runs = group["right"], group["image"], group["runs"]
        counts = len(group), image.nunique(), int(runs.max())
        shares = float(right.mean()), *clustered_wilson(right, image), clustered_error(right, image)
        unsteady = float(((right > 0) & (right < 1)).mean()) if runs.min() > 1 else None
        rows.append(AccuracyRow._make((samples, *cell, *counts, *shares, spreads.get(cell), unsteady)))
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


def answered_rows(answers: "pd.DataFrame") -> Rows:
    """Count the questions of each row that any model was asked, and those of one model that are answered and judged.

    ``missing`` is the share left unanswered; ``empty``, ``unread`` and ``refused`` count replies without an answer,
    which are wrong. ``judge`` is empty if nobody judged; a row with several judges is listed once for each.
    """
    whole = answers.groupby(["benchmark", "variant", "row"])["question"].nunique()
    rows = []
    for cell, group in groups(answers, CELL):
        questions = int(whole[cell[0], cell[2], cell[3]])
        answered = group.loc[group["text"].str.strip() != "", "question"].nunique()
        counts = {"questions": questions, "asked": group["question"].nunique(), "answered": answered}
        silent = count_silent(group["read_by"])
        for judge in judges_of(group) or [""]:
            judged = judged_by(group, judge).dropna(subset="right")["question"].nunique()
            judged_counts = {"judged": judged, "missing": 1 - answered / questions, **silent, "judge": judge}
            rows.append(dict(zip(CELL, cell, strict=True)) | counts | judged_counts)
    return rows


UNSCORED = (EMPTY, UNREAD, REFUSED, CUT)  # replies without an answer, which count as wrong
UNCOUNTED = ("no_prediction", "not_judged")  # questions that an accuracy leaves out


def scored_rows(answers: "pd.DataFrame", questions: Iterable[Question], samples: Mapping[str, Sample]) -> Rows:
    """Count how many of the questions are scored beside each accuracy, and the others by reason.

    ``answers`` is a frame of ``answers_frame``, ``questions`` are all that could have been asked. A question is
    ``scored`` if an answer was read and a judge has a verdict on it. ``accuracy`` counts replies without an answer as
    wrong; ``without_cut`` leaves out the replies that were cut, None if all were. The questions of a variant other than
    ``image`` and ``blind`` are those that any model was asked.
    """
    totals = Counter((samples[each.sample].benchmark, row_of(each.kind, each.hop)) for each in questions)
    answers = with_rows(answers)
    asked = answers.groupby(["benchmark", "variant", "row"])["question"].nunique()
    rows: Rows = []
    for judge in judges_of(answers):
        for cell, group in groups(judged_by(answers, judge), JUDGED_CELL):
            benchmark, _, _, variant, row = cell
            whole = totals[benchmark, row] if variant in {IMAGE, "blind"} else int(asked[benchmark, variant, row])
            if group["right"].notna().any():
                rows.append(dict(zip(JUDGED_CELL, cell, strict=True)) | _scored(group, whole))
    return rows


def _scored(group: "pd.DataFrame", whole: int) -> dict[str, Any]:
    table = group.groupby("question", sort=False).agg(right=("right", "mean"), read_by=("read_by", "last"))
    judged = table.dropna(subset="right")
    is_read = ~judged["read_by"].isin(UNSCORED) | (judged["right"] > 0)  # a judge may read what no rule reads
    reasons = Counter(judged.loc[~is_read, "read_by"])
    replies = group.dropna(subset="right")
    uncut = replies[(replies["read_by"] != CUT) | (replies["right"] > 0)].groupby("question")["right"].mean()
    return {
        "scored": int(is_read.sum()),
        "questions": whole,
        "no_prediction": whole - len(table),
        **{reason: reasons[reason] for reason in UNSCORED},
        "not_judged": len(table) - len(judged),
        "accuracy": float(judged["right"].mean()),
        "without_cut": float(uncut.mean()) if len(uncut) else None,
    }


def token_rows(answers: "pd.DataFrame") -> Rows:
    """Measure the length of each model's answers by row: mean words (KBE, Table 7), and tokens if counted."""
    return rows_by(answers, CELL, _lengths)


def _lengths(group: "pd.DataFrame") -> dict[str, Any]:
    words, tokens = group["text"].map(lambda text: len(text.split())), group["tokens"].dropna().astype(float)
    return {"answers": len(group), "words": words.mean(), "tokens": tokens.mean(), "median_tokens": tokens.median()}


def error_rows(outcomes: "pd.DataFrame") -> Rows:
    """Compute the share wrong of explored questions by last relation and by source, largest groups first."""
    explored = outcomes[(outcomes["variant"] == IMAGE) & (outcomes["hop"] > 0)]
    both = [explored.assign(by=by, name=explored[by], wrong=1 - explored["right"]) for by in ("relation", "source")]
    rows = [row for part in both for row in rows_by(part, [*JUDGED_MODEL, "by", "name"], partial(_share, of="wrong"))]
    rows.sort(key=lambda row: (-row["questions"], row["name"]))
    return _sorted(rows, *JUDGED_MODEL, "by")


def _sorted(rows: Rows, *names: str) -> Rows:
    return sorted(rows, key=lambda row: [row[name] for name in names])


def _share(group: "pd.DataFrame", *, of: str) -> dict[str, Any]:
    low, high = clustered_wilson(group[of], group["image"])
    return {"questions": len(group), of: float(group[of].mean()), "low": low, "high": high}


def trend_rows(outcomes: "pd.DataFrame", samples: Samples, *, seed: int = 0) -> Rows:
    """Compute the change in accuracy per hop, starting from raw, for each model asked at more than one hop."""
    asked = outcomes[(outcomes["variant"] == IMAGE) & (outcomes["row"] != RESELECTED_ROW)]
    asked = asked[asked.groupby(JUDGED_MODEL)["hop"].transform("nunique") > 1]

    def figures(group: "pd.DataFrame") -> dict[str, Any]:
        change = trend(group["hop"], group["right"], group["image"], seed=seed)
        return {"questions": len(group), **change._asdict()}

    return [{"samples": samples, **row} for row in rows_by(asked, JUDGED_MODEL, figures)]


def gain_rows(outcomes: "pd.DataFrame", *, seed: int = 0) -> Rows:
    """Compute the gain from the picture by shape and depth, |E_K|, of questions that were asked with it and without.

    The gain is the accuracy with it minus that without; ``low`` and ``high`` bound it as in ``paired_difference``.
    """
    asked = outcomes.assign(asked=outcomes["variant"].map({IMAGE: "with", "blind": "without"}))
    both = asked.pivot_table(index=_DEEP, columns="asked", values="right").reindex(columns=["with", "without"]).dropna()
    return _by_depth(both.reset_index(), "gain", "with", "without", seed=seed)


_DEEP = [*JUDGED_MODEL, "question", "shape", "key_edges", "image"]


def composition_rows(outcomes: "pd.DataFrame", links: "pd.DataFrame", *, seed: int = 0) -> Rows:
    """Compute the composition gap by shape and depth, of questions whose links were all asked and judged.

    ``links`` are the outcomes of the links, ``options`` telling how many a question has. The gap is the share of
    questions with every link right (``links``) minus the accuracy of the questions (``whole``), with an interval as in
    ``gain_rows``. ``composed`` is the accuracy of the questions with every link right.
    """
    place = [*JUDGED_MODEL, "question"]
    linked = links[links["runs"] == links["options"]].assign(links=lambda frame: (frame["right"] == 1).astype(float))
    whole = outcomes[outcomes["variant"] == IMAGE].rename(columns={"right": "whole"})
    return _by_depth(
        whole.merge(linked[[*place, "links"]], on=place), "gap", "links", "whole", seed=seed, given="composed"
    )


def _by_depth(paired: "pd.DataFrame", name: str, more: str, less: str, *, seed: int, given: str = "") -> Rows:
    def figures(group: "pd.DataFrame") -> dict[str, Any]:
        change = paired_difference(group[less], group[more], group["image"], seed=seed)
        means = {more: change.share_after, less: change.share_before, name: change.difference}
        row = {"questions": len(group), **means, "low": change.low, "high": change.high}
        return row | ({given: group.loc[group[more] == 1, less].mean()} if given else {})

    place = [*JUDGED_MODEL, "shape", "depth"]
    named = paired.rename(columns={"key_edges": "depth"}).astype({"depth": str})
    return _sorted(rows_by(named, place, figures), *place)


def difficulty_rows(outcomes: "pd.DataFrame", *, seed: int = 0) -> Rows:
    """Correlate the number of key edges, |E_K|, with each model's errors over the questions of all rows (Pearson)."""

    def figures(group: "pd.DataFrame") -> dict[str, Any]:
        edge = correlation(group["key_edges"], 1 - group["right"], group["image"], seed=seed)
        r, low, high = edge[:3] if edge else (None, None, None)
        return {"questions": len(group), "correlation": r, "low": low, "high": high}

    return rows_by(outcomes[outcomes["variant"] == IMAGE], JUDGED_MODEL, figures)


def chain_rows(outcomes: "pd.DataFrame") -> Rows:
    """Compute the share of right answers at each hop given the verdict on the question it grew from (``earlier``).

    Pairs whose earlier question is right in exactly half of the runs are left out.
    """
    chain = earlier(outcomes)
    chain = chain[chain["earlier_right"] != 0.5]
    chain = chain.assign(earlier=(chain["earlier_right"] > 0.5).map({True: "right", False: "wrong"}))
    rows = rows_by(chain, [*JUDGED_MODEL, "row", "earlier"], partial(_share, of="right"))
    rows.sort(key=lambda row: (len(row["row"]), row["row"], row["earlier"]))
    return _sorted(rows, *JUDGED_MODEL)


def right_after_wrong(outcomes: "pd.DataFrame") -> Rows:
    """List the questions right in most runs whose earlier question is wrong in most runs: guesses, or memory."""
    chain = earlier(outcomes)
    chain = chain[(chain["right"] > 0.5) & (chain["earlier_right"] < 0.5)]
    columns = [*JUDGED_MODEL, "question", "row", "earlier_row"]
    return [dict(zip(columns, row, strict=True)) for row in chain[columns].itertuples(index=False)]


def circular_rows(answers: "pd.DataFrame") -> Rows:
    """Compute the share of questions right in every rotation of their options, by judge (CircularEval, MMBench).

    ``questions`` counts those with a judged answer for every rotation; ``incomplete`` counts the others, which are left
    out. ``accuracy`` is the mean over all rotations of the former.
    """
    asked = answers[answers["variant"] == "circular"]
    place = [*JUDGED_MODEL, "row"]
    return [
        row
        for judge in judges_of(asked)
        for own in [judged_by(asked, judge)]
        for row in rows_by(own[own.groupby(place)["right"].transform("count") > 0], place, _circular)
    ]


def _circular(group: "pd.DataFrame") -> dict[str, Any]:
    rotations = group.dropna(subset="right").astype({"right": float}).groupby("question", sort=False)
    table = rotations.agg(
        right=("right", "mean"), answered=("run", "nunique"), options=("options", "first"), image=("image", "first")
    )
    whole = table[table["answered"] == table["options"]]
    all_right = (whole["right"] == 1).astype(float)
    low, high = clustered_wilson(all_right, whole["image"])
    return {
        "questions": len(whole),
        "incomplete": group["question"].nunique() - len(whole),
        "images": whole["image"].nunique(),
        "accuracy": float(whole["right"].mean()),
        "all_right": float(all_right.mean()),
        "low": low,
        "high": high,
        "error": clustered_error(all_right, whole["image"]),
    }


def stability_rows(answers: "pd.DataFrame") -> Rows:
    """Compute the share of repeated questions that a model answers the same in every run, by judge.

    Case, articles and punctuation are ignored. ``same_verdict`` is the share with one single verdict among the
    questions whose answers were all judged. The variants of an operation are left out, since each seed is a different
    question. Of a question's paraphrases only the first wording counts.
    """
    asking = ["model", "variant", "question"]
    answers = answers[answers["variant"].isin(VARIANTS)]
    has_first_words = answers["asked"] == answers.groupby(asking)["asked"].transform("first")
    answers = answers[has_first_words | (answers["variant"] != PARAPHRASE)]
    again = answers.groupby(asking)["run"].transform("nunique") > 1
    asked = answers[again].assign(folded=lambda frame: frame["text"].map(fold))
    return [
        row
        for _, group in groups(asked, CELL)
        for judge in judges_of(group) or [""]
        for row in rows_by(judged_by(group, judge), JUDGED_CELL, _stability)
    ]


def _stability(group: "pd.DataFrame") -> dict[str, Any]:
    by_question = group.groupby("question", sort=False)
    same = (by_question["folded"].agg("nunique") < 2).astype(float)
    is_judged = by_question["right"].count() == by_question["right"].size()
    has_one_verdict = (by_question["right"].agg("nunique") < 2)[is_judged]
    low, high = clustered_wilson(same, by_question["image"].first())
    figures = {"same_answer": float(same.mean()), "low": low, "high": high}
    verdicts = {"same_verdict": float(has_one_verdict.mean()) if len(has_one_verdict) else None}
    return {"questions": len(same), "runs": int(group["run"].nunique())} | figures | verdicts
