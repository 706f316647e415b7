"""Sheets go out and come back, as CSV and for Label Studio, and are checked whole before anything is stored."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from review_cases import FIRST, SECOND, decide, filled_desk, states_of

from kbe_graph.errors import DatasetError
from kbe_graph.review.exchange import (
    FORMATS,
    REVIEW_COLUMNS,
    SheetFormat,
    TakenReviews,
    read_given,
    review_rows,
    take_sheet,
    write_sheet_file,
)
from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.review.revision import Revision
from kbe_graph.review.state import current_items, made_question, read_items
from kbe_graph.store import Store
from kbe_graph.types import QuestionForm

GOOD = "Which family does this animal belong to?"
FILLED = {"verdict": "reject", "factual": "no", "one": "unsure", "reason": "no, not that", "also right": "Bovidae"}
LEAK = {"verdict": "revise", "new question": "What is the family of the giraffe?"}
every_format = pytest.mark.parametrize("format_", FORMATS)


@pytest.fixture
def store(embedded_store: Store) -> Store:
    return embedded_store


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> ReviewDesk:
    desk = filled_desk(store, tmp_path)
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Bovidae", "Giraffidae"), ("Giraffidae",))])
    return desk


def written(store: Store, folder: Path, format_: SheetFormat) -> Path:
    """Write the sheet of the run."""
    file = folder / f"bea.{'csv' if format_ == 'csv' else 'json'}"
    items = current_items(read_items(store, run="first"), states_of(store))
    rows = [row._replace(picture="data:image/png;base64,AA==") for row in review_rows(items)]
    assert write_sheet_file(file, rows, REVIEW_COLUMNS, format_) == len(rows) == 2
    return file


def filled(store: Store, folder: Path, format_: SheetFormat, *words: dict[str, str]) -> Path:
    """Write the sheet of the run, and fill in its first questions, in Label Studio as a user with a number."""
    file = written(store, folder, format_)
    if format_ == "csv":
        rows = list(csv.DictReader(file.read_text().splitlines()))
        for row, own in zip(rows, words, strict=False):
            row.update(own)
        with file.open("w") as stream:
            writer = csv.DictWriter(stream, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        return file
    tasks = json.loads(file.read_text())
    for task, own in zip(tasks, words, strict=False):
        result = [
            {
                "from_name": name.replace(" ", "_"),
                "value": {"choices": [word]} if REVIEW_COLUMNS[name] else {"text": [word]},
            }
            for name, word in own.items()
            if name != "reviewer"
        ]
        about = {"completed_by": {"email": own["reviewer"]} if "reviewer" in own else 7, "lead_time": 4.5}
        task["annotations"] = [about | {"result": result}, about | {"was_cancelled": True, "result": []}]
    file.write_text(json.dumps(tasks))
    return file


@every_format
def test_a_sheet_that_was_filled_in_comes_back_once(
    desk: ReviewDesk, store: Store, tmp_path: Path, format_: SheetFormat
) -> None:
    file = filled(store, tmp_path, format_, FILLED)
    assert take_sheet(desk, file, "Ana") == TakenReviews(1, 0)
    [review] = store.reviews()
    assert (review.question, review.reviewer, review.verdict, review.reason) == (FIRST, "Ana", "reject", "no, not that")
    assert (review.criteria, review.options) == ((("factual", "no"), ("one", "unsure")), (("Bovidae", "also right"),))
    assert review.version == desk.item(FIRST).version
    assert review.seconds == (0 if format_ == "csv" else 4.5)
    decide(desk, FIRST, "approve")
    assert take_sheet(desk, file, "Ana") == TakenReviews(0, 1)
    assert states_of(store)[FIRST].state == "approved"


@every_format
def test_a_revision_comes_back_as_a_new_version(
    desk: ReviewDesk, store: Store, tmp_path: Path, format_: SheetFormat
) -> None:
    words = {"verdict": "revise", "new question": GOOD, "new aliases": "giraffids | giraffes"}
    file = filled(store, tmp_path, format_, words)
    assert take_sheet(desk, file, "Ana") == TakenReviews(1, 0)
    [review] = store.reviews()
    made = desk.item(made_question(review))
    assert (made.question.text, made.question.aliases) == (GOOD, ("giraffids", "giraffes"))
    assert made.options == ("Bovidae", "Giraffidae")
    assert take_sheet(desk, file, "Ana") == TakenReviews(0, 1)


@every_format
def test_one_bad_line_is_told_with_its_place_and_nothing_is_taken(
    desk: ReviewDesk, store: Store, tmp_path: Path, format_: SheetFormat
) -> None:
    rows = [
        ({"verdict": "perhaps"}, "the verdict is 'perhaps'; it must be one of approve, reject"),
        ({"reason": "why"}, "the verdict is ''; it must be one of approve, reject"),
        ({"verdict": "approve", "path": "often"}, "criterion 'path' is 'often'; give yes or no or unsure"),
        ({"verdict": "revise"}, "changes nothing"),
        ({"verdict": "approve", "also right": "Equidae"}, "no option 'Equidae'"),
        ({"verdict": "approve", "reviewer": "a|b"}, "give a name without bars"),
        ({"verdict": "approve", "reviewer": "a\u202eb"}, "contains a line break or another control"),
        (LEAK, "a check refuses the new wording (leak in the wording: giraffe)"),
    ]
    for words, message in rows:
        file = filled(store, tmp_path, format_, words, {"verdict": "approve"})
        with pytest.raises(DatasetError, match=rf"{file.name}.*(line 2|1).*{re.escape(message)}"):
            take_sheet(desk, file, "Ana")
    file = filled(store, tmp_path, format_, LEAK)
    assert store.reviews() == []
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Cervidae", "Giraffidae"), ("Giraffidae",))])
    with pytest.raises(DatasetError, match="has changed since it was shown"):
        take_sheet(desk, file, "Ana", insist=True)
    assert take_sheet(desk, filled(store, tmp_path, format_, LEAK), "Ana", insist=True).taken == 1
    with pytest.raises(DatasetError, match="nothing is decided; fill in 'verdict'"):
        take_sheet(desk, written(store, tmp_path, format_), "Ana")


def test_reviewers_are_called_as_each_file_calls_them(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    del desk
    for words, usual, expected in (
        (FILLED, "", {"csv": "bea", "labelstudio": "annotator 7"}),
        (FILLED, "Ana", {"csv": "Ana", "labelstudio": "Ana"}),
        (FILLED | {"reviewer": "cy@a.org"}, "Ana", {"csv": "cy@a.org", "labelstudio": "cy@a.org"}),
    ):
        files = {format_: filled(store, tmp_path, format_, words) for format_ in FORMATS}
        names = {format_: read_given(file, REVIEW_COLUMNS, usual)[0].reviewer for format_, file in files.items()}
        assert names == expected


def test_a_hostile_cell_is_text_in_a_sheet(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    decide(desk, FIRST, "revise", revision=Revision("=cmd|' /C calc'!A0?"), insist=True)
    assert ",'=cmd|' /C calc'!A0?," in written(store, tmp_path, "csv").read_text()


def test_label_studio_asks_for_every_column(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    del desk
    file = written(store, tmp_path, "labelstudio")
    config = file.with_suffix(".xml").read_text()
    names = [name.replace(" ", "_") for name in REVIEW_COLUMNS]
    assert re.findall(r'<(?:Choices|TextArea) name="(\w+)"', config) == names
    shown = json.loads(file.read_text())[0]["data"]
    assert shown["id"] == FIRST != SECOND
    assert set(re.findall(r'"\$(\w+)"', config)) <= shown.keys()


def test_an_export_of_another_project_is_told(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    del desk
    file = filled(store, tmp_path, "labelstudio", FILLED)
    [task, *_] = json.loads(file.read_text())
    rows: list[tuple[dict[str, Any], str]] = [
        ({"data": []}, "'data' is not a mapping"),
        ({"annotations": "x"}, "'annotations' is not a list of mappings"),
        ({"annotations": [{"result": [{"from_name": "size", "value": {}}]}]}, "'size' is no column"),
        (
            {"annotations": [{"result": [{"from_name": "path", "value": {"choices": ["yes", "no"]}}]}]},
            "'path' has 2 choices; keep one",
        ),
    ]
    for change, message in rows:
        file.write_text(json.dumps([task | change]))
        with pytest.raises(DatasetError, match=re.escape(message)):
            read_given(file, REVIEW_COLUMNS)
