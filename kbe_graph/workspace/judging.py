"""Answers of a workspace that people label, and how far judges agree with them and with each other."""

from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.folder import Folder
from kbe_graph.study.judge_agreement import (
    AgreementRow,
    add_to_key,
    draw_judge_sheet,
    judge_agreement,
    read_key,
    read_labels,
    write_judge_sheet,
)
from kbe_graph.workspace.graph_reader import GraphReader


def judge_sheet(
    work: GraphReader,
    file: Path | str,
    *,
    run: str | None = None,
    incomplete: bool = False,
    number: int = 200,
    seed: int = 0,
) -> int:
    """Draw judged answers into a sheet (CSV) for people to label, blind to model and verdict; return how many.

    They are as even over verdict and hop as there are; the run is chosen as ``export`` does. Which answer an id stands
    for is kept in the workspace. Raises InputError where no answer is judged.
    """
    predictions = work.predictions(run=run, incomplete=incomplete)
    questions = {question.id: question for question in work.questions(status=None)}
    samples = {sample.id: sample for sample in work.samples()}
    rows = draw_judge_sheet(predictions, questions, samples, number, seed)
    if not rows:
        raise InputError(f"none of {len(predictions)} answers is judged; ask and judge with 'kbe evaluate' first")
    add_to_key(_key(work.folder), rows)
    write_judge_sheet(Path(file), rows)
    return len(rows)


def agreement_of_judges(
    work: GraphReader,
    file: Path | str | None = None,
    *,
    run: str | None = None,
    incomplete: bool = False,
    seed: int = 0,
) -> list[AgreementRow]:
    """Return how far judges agree with the labels of a file, or, without one, with each other where several voted.

    The file is a sheet, or any table with ``id`` (of the sheet, or of an answer), ``label`` and perhaps ``rater``.
    Raises DatasetError and InputError.
    """
    labels = [] if file is None else read_labels(Path(file))
    predictions = work.predictions(run=run, incomplete=incomplete)
    return judge_agreement(predictions, labels, read_key(_key(work.folder)), seed=seed)


def _key(folder: Folder) -> Path:
    return folder.hidden / "judge_key.json"
