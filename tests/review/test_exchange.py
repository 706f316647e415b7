"""Sheets go out and come back, as CSV and for Label Studio, and are checked whole before anything is stored."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from review_cases import FIRST, decide, filled_desk, states_of

from kbe_graph import Workspace
from kbe_graph.errors import DatasetError
from kbe_graph.review.exchange import (
    FORMATS,
    REVIEW_COLUMNS,
    SheetFormat,
    TakenReviews,
    review_rows,
    take_sheet,
    write_sheet_file,
)
from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.review.state import current_items, made_question, read_items
from kbe_graph.store import Store
from kbe_graph.types import QuestionForm

WRITTEN = Path(__file__).parents[1] / "data" / "labels"
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
    assert write_sheet_file(file, review_rows(items), REVIEW_COLUMNS, format_, replace=True) == 2
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
    words = {"verdict": "revise", "new question": GOOD, "new aliases": "giraffids | giraffes"}
    assert take_sheet(desk, filled(store, tmp_path, format_, FILLED), "Ana") == TakenReviews(1, 0)
    [review] = store.reviews()
    assert (review.question, review.reviewer, review.verdict, review.reason) == (FIRST, "Ana", "reject", "no, not that")
    assert (review.criteria, review.options) == ((("factual", "no"), ("one", "unsure")), (("Bovidae", "also right"),))
    assert (review.version, review.seconds) == (desk.item(FIRST).version, 0 if format_ == "csv" else 4.5)
    decide(desk, FIRST, "approve")
    assert take_sheet(desk, filled(store, tmp_path, format_, FILLED), "Ana") == TakenReviews(0, 1)
    assert states_of(store)[FIRST].state == "approved"
    file = filled(store, tmp_path, format_, words)
    assert take_sheet(desk, file, "Bo") == TakenReviews(1, 0)
    made = desk.item(made_question(store.reviews(reviewer="Bo")[0]))
    assert (made.question.text, made.question.aliases) == (GOOD, ("giraffids", "giraffes"))
    assert made.options == ("Bovidae", "Giraffidae")
    assert take_sheet(desk, file, "Bo") == TakenReviews(0, 1)


@every_format
def test_one_bad_line_is_told_with_its_place_and_nothing_is_taken(
    desk: ReviewDesk, store: Store, tmp_path: Path, format_: SheetFormat
) -> None:
    rows = [
        ({"verdict": "perhaps"}, "the verdict is 'perhaps'; it must be one of approve, reject"),
        ({"reason": "why"}, "the verdict is ''; it must be one of approve, reject"),
        ({"verdict": "approve", "path": "often"}, "criterion 'path' is 'often'; give yes or no or unsure"),
        ({"verdict": "revise"}, "changes nothing"),
        ({"verdict": "approve", "reason": "x" * (16 << 20)}, "the limit is"),
        ({"verdict": "approve", "also right": "Equidae"}, "no option 'Equidae'"),
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


def test_a_hostile_cell_is_text_and_hostile_seconds_are_a_day(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    decide(desk, FIRST, "revise", revision={"text": "=cmd|' /C calc'!A0?"}, insist=True)
    assert ",'=cmd|' /C calc'!A0?," in written(store, tmp_path, "csv").read_text()
    file = filled(store, tmp_path, "labelstudio", {"verdict": "approve"})
    file.write_text(file.read_text().replace('"lead_time": 4.5', '"lead_time": 1e17'))
    take_sheet(desk, file, "Bo")
    assert store.reviews(reviewer="Bo")[0].seconds == 86_400


def test_what_label_studio_really_wrote_is_taken_once_and_without_ids_told(demo_made: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(demo_made / "W", tmp_path / "W"))
    with Workspace(place, progress=False) as work:
        for name, said in (("label-studio-min.json", "is not a mapping"), ("label-studio.csv", "export as JSON")):
            with pytest.raises(DatasetError, match=said):
                work.review.take(WRITTEN / name)
        tasks = json.loads((WRITTEN / "label-studio.json").read_text())
        items = work.review.questions(run="demo-0")[: len(tasks)]
        for task, item in zip(tasks, items, strict=True):  # what was labelled then, on the demo's questions of today
            task["data"] |= {"id": item.question.id, "version": item.version}
        (tmp_path / "tasks.json").write_text(json.dumps(tasks))
        assert work.review.take(tmp_path / "tasks.json", insist=True) == TakenReviews(5, 0)
        assert work.review.take(tmp_path / "tasks.json", insist=True) == TakenReviews(0, 5)
        reviews = work.review.reviews(reviewer="annotator 1")
    criteria = dict.fromkeys(("factual", "consistent", "knowledge", "path", "one", "image", "worth"), "yes")
    assert [(each.question, each.verdict, dict(each.criteria), each.reason) for each in reviews] == [
        (items[0].question.id, "approve", criteria, ""),
        (items[1].question.id, "reject", {"factual": "no", "one": "unsure"}, "the sign says otherwise"),
        (items[2].question.id, "revise", {}, ""),
        (items[3].question.id, "approve", {"worth": "no"}, ""),
        (items[4].question.id, "reject", {}, "größer, ja\nsecond line"),
    ]
