"""Sheets on which people label answers right or wrong, without seeing the model or the verdict; labels read back."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.private import private_folder
from kbe_graph.files.tsv import sheet_cell
from kbe_graph.files.user_table import read_rows
from kbe_graph.files.whole import replacing
from kbe_graph.seeds import seed_of
from kbe_graph.study.evenly import draw_evenly
from kbe_graph.study.study_sheet import rater_of
from kbe_graph.types import Prediction, Question, Sample

LABELS = ("right", "wrong")
COLUMNS = ("id", "question", "reference", "aliases", "answer", "label")


class JudgeRow(NamedTuple):
    """An answer to be labelled: an id that tells nothing, what was asked, what is right, what was answered.

    ``prediction`` is the id of the prediction, which stays in the key of the sheet.
    """

    id: str
    question: str
    reference: str
    aliases: tuple[str, ...]
    answer: str
    prediction: str


class Label(NamedTuple):
    """What a person said of an answer, by the id on the sheet or of the prediction; ``line`` is where it stands."""

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
    """Return up to ``number`` judged answers to be labelled, as even over verdict and hop as there are.

    An answer that several models gave to one question is drawn once. ``questions`` and ``samples`` are by id; of a raw
    question all answers of its sample are aliases.
    """
    first = {
        (prediction.question, prediction.asked, prediction.text): prediction
        for prediction in sorted(predictions, key=lambda prediction: prediction.id, reverse=True)
        if prediction.verdict and prediction.question in questions
    }
    by_id = {prediction.id: prediction for prediction in first.values()}
    strata = {id_: (by_id[id_].verdict, questions[by_id[id_].question].hop) for id_ in by_id}
    drawn = [by_id[id_] for id_ in draw_evenly(strata, number, seed)]
    return tuple(_row(prediction, questions[prediction.question], samples, seed) for prediction in drawn)


def _row(prediction: Prediction, question: Question, samples: Mapping[str, Sample], seed: int) -> JudgeRow:
    own = samples[question.sample].answers if question.kind == "raw" else ()
    aliases = tuple(alias for alias in dict.fromkeys((*question.aliases, *own)) if alias != question.answer)
    name = f"{seed_of('judge sheet', seed, prediction.id):016x}"[:12]
    return JudgeRow(
        f"a{name}", prediction.asked or question.text, question.answer, aliases, prediction.text, prediction.id
    )


def write_judge_sheet(file: Path, rows: Sequence[JudgeRow]) -> None:
    """Write a sheet as CSV, its column ``label`` empty; raises InputError where it cannot be written."""
    with replacing(file) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            cells = (row.question, row.reference, " | ".join(row.aliases), row.answer)
            writer.writerow([row.id, *map(sheet_cell, cells), ""])


def add_to_key(file: Path, rows: Sequence[JudgeRow]) -> None:
    """Keep in a file which prediction each id of a sheet stands for, beside those of earlier sheets."""
    key = {**read_key(file), **{row.id: row.prediction for row in rows}}
    private_folder(file.parent)
    with replacing(file, private=True) as stream:
        json.dump(key, stream, ensure_ascii=False, indent=0, sort_keys=True)


def read_key(file: Path) -> dict[str, str]:
    """Return the predictions that the ids of sheets stand for; none where no sheet was drawn. Raises DatasetError."""
    if not file.exists():
        return {}
    try:
        key = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DatasetError(file, f"not the key of a sheet ({error}); draw the sheet again with its seed") from None
    return {str(id_): str(prediction) for id_, prediction in key.items()}


def read_labels(file: Path) -> list[Label]:
    """Return the labels of a sheet or of any table with ``id`` and ``label``; rows without a label are left out.

    ``rater`` says who gave it, else it is the file's name. Raises DatasetError with line and field for another word
    than right or wrong, for two labels of one rater on one answer, and where there is none at all.
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
