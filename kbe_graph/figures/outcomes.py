"""Outcome of each model on each question, averaged over runs: one row per judge, model, variant and question."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from kbe_graph.errors import InputError
from kbe_graph.forms.links import links_of
from kbe_graph.types import CONTROL, LINKS, RAW, TWIN, VARIANTS, Prediction, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


Rows = list[dict[str, Any]]
"""A table of figures: one mapping per row, from column to value."""
CELL = ["benchmark", "model", "variant", "row"]
MODEL = ["benchmark", "model"]
JUDGED_CELL = ["benchmark", "model", "judge", "variant", "row"]
JUDGED_MODEL = ["benchmark", "model", "judge"]
RAW_ROW, RESELECTED_ROW = "raw", "re-selected"
IMAGE = "image"  # the unchanged question with its picture
_DIGITS = 6  # significant digits of a number in a row
PARAPHRASE = "paraphrase"  # the reworded question, which changes only the surface


def row_of(kind: str, hop: int) -> str:
    """Return the row in which a question of this kind and hop is counted."""
    return {"raw": RAW_ROW, "reselected": RESELECTED_ROW, TWIN: TWIN}.get(kind, f"hop {hop}")


def row_order(row: str) -> tuple[object, ...]:
    """Return the sort key of a row: raw, re-selected, then hop by hop, and the twins last."""
    return row != RAW_ROW, row != RESELECTED_ROW, row == TWIN, len(row), row


def with_rows(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Add the column ``row`` (raw, re-selected, hop 1 ...) and sort the answers.

    Raises InputError if the questions come from more than one evolution, because a sample's hops would not pair up.
    """
    evolutions = sorted(set(answers["evolution"]) - {RAW})
    if len(evolutions) > 1:
        raise InputError(
            f"the answers are to questions of {len(evolutions)} runs: {', '.join(map(repr, evolutions))}; "
            "name the run to use"
        )
    rows = [row_of(kind, hop) for kind, hop in zip(answers["kind"], answers["hop"], strict=True)]
    order = ["benchmark", "model", "hop", "kind", "question", "variant", "run"]
    return answers.assign(row=rows).sort_values(order, ignore_index=True)


def operations_of(variants: Iterable[str]) -> list[str]:
    """List the perturbation operations among ``variants``, the control first.

    >>> operations_of(["image", "pad", "blind", "re-encode"])
    ['re-encode', 'pad']
    """
    return sorted(set(variants) - set(VARIANTS), key=lambda name: (name != CONTROL, name))


def judges_of(answers: "pd.DataFrame") -> list[str]:
    """List the judges of a frame of answers (see ``answers_frame``) by name."""
    last = set(answers.loc[answers["right"].notna(), "judge"].fillna(""))
    return sorted(last | {vote.judge for votes in answers["other_verdicts"] for vote in votes})


def judged_by(answers: "pd.DataFrame", judge: str) -> "pd.DataFrame":
    """Restrict the answers to the verdicts of one judge; answers that it did not judge have none."""
    is_last = answers["judge"].fillna("") == judge
    says = answers["other_verdicts"].map(lambda votes: dict(votes).get(judge, ""))
    verdict = answers["verdict"].where(is_last, says)
    right = answers["right"].where(is_last, (says == "right").astype("boolean").mask(says == ""))
    return answers.assign(verdict=verdict, right=right, judge=judge, other_verdicts=_no_others(answers))


def _no_others(answers: "pd.DataFrame") -> "pd.Series[Any]":
    return answers["other_verdicts"].map(lambda _: ())


def one_judge(answers: "pd.DataFrame", judge: str | None = None) -> "pd.DataFrame":
    """Restrict the answers to one judge's verdicts, by default the judge with most verdicts.

    Raises InputError for a judge without verdicts.
    """
    judges = judges_of(answers)
    if judge is not None and judge not in judges:
        raise InputError(f"no answer was judged by {judge!r}; the judges are {', '.join(map(repr, judges)) or 'none'}")
    return judged_by(answers, leading_judge(answers) if judge is None else judge)


def leading_judge(answers: "pd.DataFrame") -> str:
    """Return the judge with most verdicts, the alphabetically first on a tie; empty if nobody judged."""
    counts = {judge: int(judged_by(answers, judge)["right"].count()) for judge in judges_of(answers)}
    return max(counts, key=lambda judge: counts[judge], default="")


def outcomes(answers: "pd.DataFrame", *, twins: bool = False) -> "pd.DataFrame":
    """Average the judged answers of each benchmark, model, judge, variant and question over runs.

    Without ``twins``, these are left out: they count with their questions, as pairs.

    ``answers`` comes from ``with_rows``. ``right`` is the mean over runs, 0 to 1; ``runs`` is their number. Other
    columns: row, hop, kind, sample, image, key_edges, relation, source, shape, options. Unjudged answers are left out.
    """
    import pandas as pd

    answers = answers if twins else answers[answers["kind"] != TWIN]
    by_judge = [judged_by(answers, judge) for judge in judges_of(answers)] or [answers]
    judged = pd.concat(by_judge).dropna(subset="right").assign(right=lambda frame: frame["right"].astype(float))
    table = judged.groupby([*JUDGED_MODEL, "variant", "question"], sort=False).agg(
        **{name: (name, "first") for name in ("row", "hop", "kind", "sample", "image")},
        **{name: (name, "first") for name in ("key_edges", "relation", "source", "shape", "options")},
        right=("right", "mean"),
        runs=("right", "size"),
    )
    return table.reset_index()


def groups(frame: "pd.DataFrame", columns: Sequence[str]) -> "Iterator[tuple[tuple[str, ...], pd.DataFrame]]":
    """Yield each combination of values in ``columns`` with its rows, in order of first occurrence."""
    for names, group in frame.groupby(list(columns), sort=False):
        yield tuple(map(str, names)), group


def rows_by(
    frame: "pd.DataFrame", columns: Sequence[str], figures: "Callable[[pd.DataFrame], Mapping[str, Any]]"
) -> Rows:
    """Compute figures of each combination of values in ``columns``, which the row also holds."""
    return [{**dict(zip(columns, names, strict=True)), **figures(group)} for names, group in groups(frame, columns)]


def plain_row(row: Any) -> dict[str, Any]:
    """Flatten a row into a mapping: nested rows are merged, and numbers rounded to six significant digits."""
    flat: dict[str, Any] = {}
    for name, value in (row if isinstance(row, dict) else row._asdict()).items():
        flat |= plain_row(value) if hasattr(value, "_asdict") else {name: _number(value)}
    return flat


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if isnan(value) else float(f"{value:.{_DIGITS}g}")


def balanced(outcomes: "pd.DataFrame") -> "pd.DataFrame":
    """Keep the outcomes of samples that a model was asked, unchanged, at raw and at every hop it was asked at.

    This makes hops comparable: they then differ only in the questions. Each judge's verdicts count separately.
    Re-selected questions are kept for those of these samples that have one.
    """
    own = outcomes[outcomes["variant"] == IMAGE]
    needed = own[own["row"] != RESELECTED_ROW]
    reached = needed.groupby([*JUDGED_MODEL, "sample"])["row"].transform("nunique")
    every = needed.groupby(JUDGED_MODEL)["row"].transform("nunique")
    whole = needed.loc[reached == every, [*JUDGED_MODEL, "sample"]].drop_duplicates()
    return own.merge(whole, on=[*JUDGED_MODEL, "sample"])


def earlier(outcomes: "pd.DataFrame") -> "pd.DataFrame":
    """Join each hop's outcome with that of the question it grew from.

    Columns: those of ``outcomes``, ``earlier_right`` and ``earlier_row``. A hop 1 grew from the re-selected question if
    its sample has one, otherwise from the raw one.
    """
    own = outcomes[outcomes["variant"] == IMAGE]
    place = [*JUDGED_MODEL, "sample", "hop"]
    chain = own.sort_values(["hop", "kind"], kind="stable").drop_duplicates(place, keep="last")
    before = chain.assign(hop=chain["hop"] + 1)[[*place, "right", "row"]]
    before = before.rename(columns={"right": "earlier_right", "row": "earlier_row"})
    return own[own["hop"] > 0].merge(before, on=place)


COLUMNS = (
    *("model", "question", "sample", "image", "benchmark", "evolution", "hop", "kind", "run", "variant", "text"),
    *("verdict", "right", "judge", "read_by", "tokens", "key_edges", "relation", "source", "other_verdicts"),
    *("options", "asked", "shape", "answer", "twin_of"),
)


def answers_frame(
    predictions: Iterable[Prediction], questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> "pd.DataFrame":
    """Build a frame with one row per prediction, sorted by model, hop, question, variant and run.

    Predictions without a question are left out. ``questions`` and ``samples`` are keyed by id. Columns: model,
    question, sample and image (ids; all questions about an image form one cluster), benchmark, evolution (the run that
    generated the question), hop, kind, run (the number of the asking), variant, text, verdict (right, wrong, or empty),
    right (True, False, or NA if not judged), judge (the last to judge), read_by (the rule that read the answer, or
    empty, unread, refused), tokens, key_edges (the difficulty |E_K|), relation and source (of the last explored
    triplet, or empty), other_verdicts (``Vote`` of the other judges), options (number of the sample's choices; for
    ``links``, of the links), asked (the words asked, if they differ from the question's), shape (``path`` if grown hop
    by hop), answer (the right one), twin_of (the question that it is a twin of, or empty).

    ``judged_by`` replaces the verdicts by those of another judge.
    """
    import pandas as pd

    rows = [
        _row(prediction, questions[prediction.question], samples)
        for prediction in predictions
        if prediction.question in questions
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame = frame.astype({"right": "boolean", "tokens": "Int64"})
    return frame.sort_values(["model", "hop", "question", "variant", "run"], ignore_index=True)


def _row(prediction: Prediction, question: Question, samples: Mapping[str, Sample]) -> tuple[object, ...]:
    sample = samples[question.sample]
    last = question.explored[-1] if question.hop and question.explored else None
    verdict = prediction.verdict
    options = links_of(question, sample) if prediction.variant == LINKS else sample.choices
    return (
        *(prediction.model, question.id, sample.id, sample.picture_key, sample.benchmark),
        *(question.run, question.hop, question.kind, prediction.run, prediction.variant, prediction.text),
        *(verdict, verdict == "right" if verdict else None, prediction.judge, prediction.read_by, prediction.tokens),
        *(question.difficulty, last.relation if last else "", last.source if last else ""),
        *(prediction.other_verdicts, len(options), prediction.asked),
        *(question.shape or ("path" if question.hop else question.kind), question.answer),
        question.twin_of,
    )
