"""Sheets for labelling answers without seeing the verdict, and the agreement between judges and people."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.records import read_rows
from kbe_graph.files.resources import sheet_cell
from kbe_graph.files.whole import private_folder, replacing
from kbe_graph.seeds import seed_of
from kbe_graph.statistics.rater_agreement import AgreementRow, Ratings, agreement_rows, majority
from kbe_graph.study.human_study import draw_stratified
from kbe_graph.study.study_files import rater_of
from kbe_graph.types import Prediction, Question, Sample

LABELS = ("right", "wrong")
COLUMNS = ("id", "question", "reference", "aliases", "answer", "label")


class JudgeRow(NamedTuple):
    """An answer to label: an opaque id, the question, the right answer, and the answer given.

    ``prediction`` is the id of the prediction, which only the key of the sheet contains.
    """

    id: str
    question: str
    reference: str
    aliases: tuple[str, ...]
    answer: str
    prediction: str


class Label(NamedTuple):
    """A person's label of an answer, by the id on the sheet or of the prediction; ``line`` is its line in the file."""

    id: str
    rater: str
    label: str
    line: int | None = None


def draw_judge_sheet(
    predictions: Sequence[Prediction],
    questions: Mapping[str, Question],
    samples: Mapping[str, Sample],
    number: int = 200,
    seed: int = 0,
) -> tuple[JudgeRow, ...]:
    """Draw up to ``number`` judged answers to label, spread as evenly as possible over verdict and hop.

    An answer that several models gave to one question is drawn once. ``questions`` and ``samples`` are by id; for a raw
    question, all answers of its sample are aliases.
    """
    first = {
        (prediction.question, prediction.asked, prediction.text): prediction
        for prediction in sorted(predictions, key=lambda prediction: prediction.id, reverse=True)
        if prediction.verdict and prediction.question in questions
    }
    by_id = {prediction.id: prediction for prediction in first.values()}
    strata = {id_: (by_id[id_].verdict, questions[by_id[id_].question].hop) for id_ in by_id}
    drawn = [by_id[id_] for id_ in draw_stratified(strata, number, seed)]
    return tuple(_judge_row(prediction, questions[prediction.question], samples, seed) for prediction in drawn)


def _judge_row(prediction: Prediction, question: Question, samples: Mapping[str, Sample], seed: int) -> JudgeRow:
    own = samples[question.sample].answers if question.kind == "raw" else ()
    aliases = tuple(alias for alias in dict.fromkeys((*question.aliases, *own)) if alias != question.answer)
    name = f"{seed_of('judge sheet', seed, prediction.id):016x}"[:12]
    return JudgeRow(
        f"a{name}", prediction.asked or question.text, question.answer, aliases, prediction.text, prediction.id
    )


def write_judge_sheet(file: Path, rows: Sequence[JudgeRow]) -> None:
    """Write a sheet as CSV with an empty column ``label``; raises InputError if it cannot be written."""
    with replacing(file) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            cells = (row.question, row.reference, " | ".join(row.aliases), row.answer)
            writer.writerow([row.id, *map(sheet_cell, cells), ""])


def add_to_key(file: Path, rows: Sequence[JudgeRow]) -> None:
    """Add the predictions behind the ids of a sheet to the key in ``file``, which earlier sheets share."""
    key = {**read_key(file), **{row.id: row.prediction for row in rows}}
    private_folder(file.parent)
    with replacing(file, private=True) as stream:
        json.dump(key, stream, ensure_ascii=False, indent=0, sort_keys=True)


def read_key(file: Path) -> dict[str, str]:
    """Read the predictions behind the ids of sheets; empty if no sheet was drawn. Raises DatasetError."""
    if not file.exists():
        return {}
    try:
        key = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DatasetError(file, f"not the key of a sheet ({error}); draw the sheet again with its seed") from None
    return {str(id_): str(prediction) for id_, prediction in key.items()}


def read_labels(file: Path) -> list[Label]:
    """Read the labels in a sheet, or in any table with ``id`` and ``label``; rows without a label are omitted.

    ``rater`` names the person, otherwise the file's name does. Raises DatasetError with line and field for a label
    other than right or wrong, for two labels by one rater on one answer, and for a file without labels.
    """
    labels: dict[tuple[str, str], Label] = {}
    for record in read_rows(file, ("id", "label")):
        word = record.optional("label").lower()
        if not word:
            continue
        if word not in LABELS:
            raise record.error(f"'label' is {word!r}; write right or wrong, or leave it empty")
        rater = rater_of(record)
        label = Label(record.text("id"), rater, word, record.line)
        first = labels.setdefault((label.id, rater), label)
        if first is not label:
            raise record.error(f"{rater!r} labels {label.id!r} here and in line {first.line}; keep one of them")
    if not labels:
        raise DatasetError(file, "no row has a 'label'; write right or wrong there")
    return list(labels.values())


PEOPLE, MAJORITY, VOTES = "people", "majority of people", "judges"


def judge_agreement(
    predictions: Sequence[Prediction],
    labels: Sequence[Label] = (),
    key: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
) -> list[AgreementRow]:
    """Compute the agreement of each rater with each judge, among raters, and among judges' votes.

    ``key`` maps ids on a sheet to predictions; an id of a prediction stands for itself. If several people labelled,
    their majority is compared with the judge too; a tie has no majority. Cohen's kappa compares two raters, Fleiss'
    kappa more. Raises InputError for a label of an unknown answer, and if there is nothing to compare.
    """
    by_id = {prediction.id: prediction for prediction in predictions}
    by_prediction = _by_prediction(labels, key or {}, by_id)
    rows = [
        row
        for between, ratings in (*_with_judges(by_prediction, by_id), *_among_votes(predictions))
        for row in agreement_rows(between, ratings, LABELS, seed=seed)
    ]
    if not rows:
        raise InputError(
            "nothing to compare: no labelled answer was judged, and no answer has several votes; draw a sheet with "
            "a judge sheet, or judge with several models"
        )
    return rows


def _by_prediction(
    labels: Sequence[Label], key: Mapping[str, str], by_id: Mapping[str, Prediction]
) -> dict[str, dict[str, str]]:
    by_prediction: dict[str, dict[str, str]] = defaultdict(dict)
    for label in labels:
        id_ = key.get(label.id, label.id)
        if id_ not in by_id:
            place = "" if label.line is None else f"line {label.line}: "
            raise InputError(
                f"{place}no answer {label.id!r} in this workspace; give a sheet of a judge sheet, or ids of answers"
            )
        by_prediction[id_][label.rater] = label.label
    return by_prediction


def _with_judges(
    by_prediction: Mapping[str, Mapping[str, str]], by_id: Mapping[str, Prediction]
) -> Iterator[tuple[str, Ratings]]:
    raters = sorted({rater for words in by_prediction.values() for rater in words})
    judges = sorted({vote.judge for id_ in by_prediction for vote in by_id[id_].verdicts})
    for judge in judges:
        by_judge = ((words, by_id[id_].verdict_of(judge)) for id_, words in by_prediction.items())
        judged = [(words, verdict) for words, verdict in by_judge if verdict]
        name = judge or "the judge"
        for rater in raters:
            yield f"{rater} and {name}", [[words.get(rater), verdict] for words, verdict in judged]
        if len(raters) > 1:
            yield f"{MAJORITY} and {name}", [[majority(words.values()), verdict] for words, verdict in judged]
    if len(raters) > 1:
        yield PEOPLE, [[words.get(rater) for rater in raters] for words in by_prediction.values()]


def _among_votes(predictions: Sequence[Prediction]) -> Iterator[tuple[str, Ratings]]:
    votes = [
        {
            vote.judge: vote.verdict
            for vote in (*prediction.votes, *prediction.verdicts)
            if vote.judge and not vote.is_of_majority
        }
        for prediction in predictions
    ]
    judges = sorted({judge for by_judge in votes for judge in by_judge})
    if len(judges) > 1:
        names = ", ".join(judges)
        yield f"{VOTES}: {names}", [[by_judge.get(judge) for judge in judges] for by_judge in votes if by_judge]
