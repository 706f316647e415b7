"""Sheets go out and come back: CSV, Label Studio, Argilla, and the log of another workspace."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from review_cases import FIRST, SECOND, filled_desk, opened_desk, states_of
from specimens import SAMPLE

from kbe_graph.errors import DatasetError
from kbe_graph.review.argilla import read_argilla, write_argilla
from kbe_graph.review.csv_sheet import read_csv_sheet, write_csv_sheet
from kbe_graph.review.intake import TakenReviews, take_given, take_log
from kbe_graph.review.label_studio import CHOICES, TEXTS, read_label_studio, write_label_studio
from kbe_graph.review.review_desk import Opinions, ReviewDesk
from kbe_graph.review.review_record import review_line
from kbe_graph.review.reviewed_items import current_items, read_items
from kbe_graph.review.revision import Revision
from kbe_graph.review.sheet import ASKED, Items, SheetItem
from kbe_graph.review.sheet_formats import format_of
from kbe_graph.review.state import made_question
from kbe_graph.store import Store
from kbe_graph.types import QuestionForm
from kbe_graph.types.review import CRITERIA

GOOD = "Which family does this animal belong to?"
FILLED = {"verdict": "reject", "factual": "No", "one": "unsure", "reason": "no, not that", "also right": "Bovidae"}


@pytest.fixture
def store(embedded_store: Store) -> Store:
    return embedded_store


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> ReviewDesk:
    desk = filled_desk(store, tmp_path)
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Bovidae", "Giraffidae"), ("Giraffidae",))])
    return desk


def items_of(store: Store) -> Items:
    """The questions of the run as a sheet has them."""
    states, items = states_of(store), read_items(store, run="first")
    return [
        SheetItem(item, SAMPLE, states[item.question.id], ("data:image/png;base64,AA==",))
        for item in current_items(items, states)
    ]


def fill_csv(file: Path, words: dict[str, str]) -> None:
    with file.open() as stream:
        rows = list(csv.DictReader(stream))
    rows[0] |= words
    with file.open("w") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def fill_label_studio(file: Path, words: dict[str, str]) -> None:
    """As Label Studio exports it, an annotation of a user with a number."""
    tasks = json.loads(file.read_text())
    result = [
        {
            "from_name": name.replace(" ", "_"),
            "to_name": "img",
            "value": {"choices": [word]} if name in CHOICES else {"text": [word]},
        }
        for name, word in words.items()
        if name != "reviewer"
    ]
    by = {"email": words["reviewer"]} if "reviewer" in words else 7
    about = {"id": 1, "completed_by": by, "lead_time": 4.5, "created_at": "2026-11-27T11:00:00.5+01:00"}
    tasks[0]["annotations"] = [about | {"result": result}, about | {"was_cancelled": True, "result": []}]
    file.write_text(json.dumps(tasks))


def fill_argilla(file: Path, words: dict[str, str]) -> None:
    """As Argilla exports it, a response of a user with an id."""
    records = json.loads(file.read_text())
    records[0]["responses"] = {
        name.replace(" ", "_"): [{"value": word, "user_id": "0a1b2c3d-0000"}]
        for name, word in words.items()
        if name != "reviewer"
    }
    file.write_text(json.dumps(records))


Way = tuple[Callable[[Path, Items], int], Callable[[Path, dict[str, str]], None], Callable[[Path, str], Any], str]
WAYS: dict[str, Way] = {
    "csv": (write_csv_sheet, fill_csv, read_csv_sheet, "csv"),
    "labelstudio": (write_label_studio, fill_label_studio, read_label_studio, "json"),
    "argilla": (write_argilla, fill_argilla, read_argilla, "json"),
}
every_way = pytest.mark.parametrize("name", WAYS)


def filled(store: Store, folder: Path, name: str, words: dict[str, str]) -> Path:
    """A sheet of the run whose first question is decided in these words."""
    write, fill, _, ending = WAYS[name]
    file = folder / f"bea.{ending}"
    assert write(file, items_of(store)) == 2
    fill(file, words)
    return file


@every_way
def test_a_sheet_that_was_filled_in_comes_back_once(desk: ReviewDesk, store: Store, tmp_path: Path, name: str) -> None:
    file = filled(store, tmp_path, name, FILLED)
    assert format_of(file) == name
    given = WAYS[name][2](file, "Ana")
    assert take_given(desk, given) == TakenReviews(1, 0)
    [review] = store.reviews()
    assert (review.question, review.reviewer, review.verdict, review.reason) == (FIRST, "Ana", "reject", "no, not that")
    assert (review.criteria, review.options) == ((("factual", "no"), ("one", "unsure")), (("Bovidae", "also right"),))
    assert review.version == desk.item(FIRST).version
    assert take_given(desk, WAYS[name][2](file, "Ana")) == TakenReviews(0, 1)
    desk.decide(FIRST, "approve", reviewer="Ana")
    assert take_given(desk, given) == TakenReviews(0, 1)
    assert states_of(store)[FIRST].state == "approved"


@every_way
def test_a_revision_comes_back_as_a_new_version(desk: ReviewDesk, store: Store, tmp_path: Path, name: str) -> None:
    words = {"verdict": "revise", "new question": GOOD, "new aliases": "giraffids | giraffes"}
    given = WAYS[name][2](filled(store, tmp_path, name, words), "Ana")
    assert take_given(desk, given) == TakenReviews(1, 0)
    [review] = store.reviews()
    made = desk.item(made_question(review))
    assert (made.question.text, made.question.aliases, made.options) == (
        GOOD,
        ("giraffids", "giraffes"),
        ("Bovidae", "Giraffidae"),
    )
    assert take_given(desk, given) == TakenReviews(0, 1)


@every_way
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"verdict": "perhaps"}, "'verdict' is 'perhaps'; write approve or reject"),
        ({"verdict": "approve", "path": "often"}, "'path' is 'often'; write yes or no or unsure"),
        ({"verdict": "revise"}, "'verdict' is 'revise'; fill in 'new question'"),
    ],
)
def test_a_word_that_makes_no_sense_is_told_with_its_place(
    desk: ReviewDesk, store: Store, tmp_path: Path, name: str, words: dict[str, str], message: str
) -> None:
    file = filled(store, tmp_path, name, words)
    with pytest.raises(DatasetError, match=rf"{file.name}.*(line 2|1).*{re.escape(message)}"):
        take_given(desk, WAYS[name][2](file, "Ana"))
    assert store.reviews() == []


@every_way
def test_a_question_that_changed_or_a_wording_that_is_refused_is_told_and_nothing_is_taken(
    desk: ReviewDesk, store: Store, tmp_path: Path, name: str
) -> None:
    leak = {"verdict": "revise", "new question": "What is the family of the giraffe?"}
    file = filled(store, tmp_path, name, leak)
    with pytest.raises(DatasetError, match=r"refused \(leak in the wording: giraffe\)"):
        take_given(desk, WAYS[name][2](file, "Ana"))
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Cervidae", "Giraffidae"), ("Giraffidae",))])
    with pytest.raises(DatasetError, match="has changed since it was shown"):
        take_given(desk, WAYS[name][2](file, "Ana"), insist=True)
    assert store.reviews() == []
    assert desk.log.read() == []
    file = filled(store, tmp_path, name, leak)
    assert take_given(desk, WAYS[name][2](file, "Ana"), insist=True).taken == 1


def test_reviewers_are_called_as_each_file_calls_them(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    names = {
        name: WAYS[name][2](filled(store, tmp_path, name, FILLED), "")[0].reviewer
        for name in ("csv", "labelstudio", "argilla")
    }
    assert names == {"csv": "bea", "labelstudio": "annotator 7", "argilla": "user 0a1b2c3d"}
    for name in ("csv", "labelstudio"):
        given = WAYS[name][2](filled(store, tmp_path, name, FILLED | {"reviewer": "cy@example.org"}), "Ana")
        assert given[0].reviewer == "cy@example.org"
    assert desk.log.read() == []


def test_label_studio_tells_time_and_seconds(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    take_given(desk, read_label_studio(filled(store, tmp_path, "labelstudio", FILLED), "Ana"))
    [review] = store.reviews()
    assert (review.time, review.seconds) == ("2026-11-27T10:00:00.500Z", 4.5)


@every_way
def test_a_sheet_without_a_decision_is_told(desk: ReviewDesk, store: Store, tmp_path: Path, name: str) -> None:
    del desk
    write, _, read, ending = WAYS[name]
    write(tmp_path / f"a.{ending}", items_of(store))
    with pytest.raises(DatasetError, match="no question is decided; fill in 'verdict'"):
        read(tmp_path / f"a.{ending}", "Ana")


def test_two_decisions_of_one_reviewer_in_a_file_are_told(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    del desk
    file = filled(store, tmp_path, "csv", FILLED)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[1]]))
    with pytest.raises(DatasetError, match=r"line 4: 'bea' decides '.*' here and at line 2; keep one of them"):
        read_csv_sheet(file)


def test_a_hostile_cell_is_text_in_a_sheet_and_comes_back_as_it_was(
    desk: ReviewDesk, store: Store, tmp_path: Path
) -> None:
    desk.decide(FIRST, "revise", reviewer="Ana", revision=Revision("=cmd|' /C calc'!A0?"), insist=True)
    file = tmp_path / "a.csv"
    write_csv_sheet(file, items_of(store))
    assert ",'=cmd|' /C calc'!A0?," in file.read_text()


def test_what_is_decided_goes_along_to_the_programs(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    desk.decide(FIRST, "approve", reviewer="Ana", opinions=Opinions((("factual", "yes"),)))
    write_label_studio(tmp_path / "ls.json", items_of(store))
    write_argilla(tmp_path / "a.json", items_of(store))
    [prediction] = json.loads((tmp_path / "ls.json").read_text())[0]["predictions"]
    assert prediction["model_version"] == "Ana"
    assert [each["value"] for each in prediction["result"]] == [{"choices": ["approve"]}, {"choices": ["yes"]}]
    suggestions = json.loads((tmp_path / "a.json").read_text())[0]["suggestions"]
    assert suggestions["verdict"] == {"value": "approve", "score": None, "agent": "Ana"}


def test_the_programs_ask_for_every_criterion(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    del desk
    assert tuple(ASKED) == CRITERIA
    write_label_studio(tmp_path / "ls.json", items_of(store))
    write_argilla(tmp_path / "a.json", items_of(store))
    config = (tmp_path / "ls.xml").read_text()
    assert re.findall(r'<(?:Choices|TextArea) name="(\w+)"', config) == [*CHOICES, *TEXTS]
    assert all(asked in config for asked in ASKED.values())
    shown = json.loads((tmp_path / "ls.json").read_text())[0]["data"]
    assert set(re.findall(r'"\$(\w+)"', config)) <= shown.keys()
    settings = json.loads((tmp_path / "a-settings.json").read_text())
    assert [question["name"] for question in settings["questions"]] == [*CHOICES, *TEXTS]
    assert not {field["name"] for field in settings["fields"]} & {*CHOICES, *TEXTS}  # Argilla refuses such settings
    assert settings["allow_extra_metadata"] is False
    record = json.loads((tmp_path / "a.json").read_text())[0]
    assert set(record["fields"]) == {field["name"] for field in settings["fields"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": []}, "'data' is not a mapping"),
        ({"annotations": "x"}, "'annotations' is not a list of mappings"),
        ({"annotations": [{"result": [{"from_name": "size", "value": {}}]}]}, "'result' has 'size'"),
        ({"annotations": [{"result": []}]}, "an annotation has no 'verdict'"),
    ],
)
def test_an_export_of_another_project_is_told(
    desk: ReviewDesk, store: Store, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    del desk
    file = filled(store, tmp_path, "labelstudio", FILLED)
    tasks = json.loads(file.read_text())
    file.write_text(json.dumps([tasks[0] | change]))
    with pytest.raises(DatasetError, match=re.escape(message)):
        read_label_studio(file)


def test_a_log_of_another_workspace_is_taken_with_its_versions(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    review = desk.decide(FIRST, "revise", reviewer="Ana", revision=Revision(GOOD))
    desk.decide(made_question(review), "approve", reviewer="Bo")
    file, reviews = tmp_path / "log.jsonl", store.reviews()
    file.write_text("".join(map(review_line, reviews)))
    store.forget_run("first")
    (tmp_path / "empty").mkdir()
    other = filled_desk(store, tmp_path / "empty")
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Bovidae", "Giraffidae"), ("Giraffidae",))])
    assert take_log(other, file) == TakenReviews(2, 0)
    assert store.reviews() == reviews
    assert take_log(other, file) == TakenReviews(0, 2)
    assert opened_desk(store, tmp_path / "empty").log.read() == sorted(reviews, key=lambda each: each.time)


def test_a_log_with_another_decision_under_an_id_or_of_a_stranger_is_refused_whole(
    desk: ReviewDesk, store: Store, tmp_path: Path
) -> None:
    review = desk.decide(FIRST, "approve", reviewer="Ana")
    file = tmp_path / "log.jsonl"
    second = review_line(review).replace(FIRST, SECOND)
    file.write_text(second + review_line(review).replace("approve", "reject"))
    with pytest.raises(
        DatasetError, match=r"line 2: review .* already exists with different content; nothing was imported"
    ):
        take_log(desk, file)
    file.write_text(second + review_line(review).replace(FIRST, "x@first/1"))
    with pytest.raises(DatasetError, match="line 2: no question 'x@first/1' in this workspace"):
        take_log(desk, file)
    assert store.reviews() == [review]
