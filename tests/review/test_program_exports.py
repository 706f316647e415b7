"""What Label Studio and Argilla really wrote about the demo is taken as it is (``tests/data/labels``)."""

import json
import shutil
from pathlib import Path

import pytest
from commands import kbe_here

WRITTEN = Path(__file__).parents[1] / "data" / "labels"


@pytest.fixture
def work(demo_made: Path, tmp_path: Path) -> Path:
    """A workspace of a test's own that holds the demo."""
    return Path(shutil.copytree(demo_made / "W", tmp_path / "W"))


def decisions(work: Path, reviewer: str) -> list[tuple[str, str, dict[str, str], str]]:
    """The decisions of a reviewer: sample and hop, verdict, criteria, reason."""
    log = json.loads(kbe_here("-w", work, "review", "log", "--reviewer", reviewer, "--json"))
    return [
        (each["question"].split("/", 2)[2], each["verdict"], each.get("criteria", {}), each.get("reason", ""))
        for each in log
    ]


def test_an_export_of_label_studio_is_taken_once(work: Path) -> None:
    take = ("-w", work, "review", "take", WRITTEN / "label-studio.json", "--insist", "--json")
    assert json.loads(kbe_here(*take)) == {"taken": 5, "repeated": 0}
    assert json.loads(kbe_here(*take)) == {"taken": 0, "repeated": 5}
    criteria = dict.fromkeys(("factual", "consistent", "knowledge", "path", "one", "image", "worth"), "yes")
    assert decisions(work, "annotator 1") == [
        ("107438-country@demo-0/1", "approve", criteria, ""),
        ("107438-country@demo-0/2", "reject", {"factual": "no", "one": "unsure"}, "the sign says otherwise"),
        ("121647-count@demo-0/0", "revise", {}, ""),
        ("126107-bird@demo-0/1", "approve", {"worth": "no"}, ""),
        ("129648-brand@demo-0/1", "reject", {}, "größer, ja\nsecond line"),
    ]


def test_records_of_argilla_are_taken_without_drafts_and_discarded_responses(work: Path) -> None:
    take = ("-w", work, "review", "take", WRITTEN / "argilla.json", "--reviewer", "Ann", "--insist", "--json")
    assert json.loads(kbe_here(*take)) == {"taken": 4, "repeated": 0}
    criteria = dict.fromkeys(("factual", "consistent", "knowledge", "path", "one", "image", "worth"), "yes")
    assert decisions(work, "Ann") == [
        ("107438-country@demo-0/1", "approve", criteria, ""),
        ("107438-country@demo-0/2", "reject", {"factual": "no", "one": "unsure"}, "the sign says otherwise"),
        ("121647-count@demo-0/0", "revise", {}, ""),
        ("129648-brand@demo-0/2", "reject", {}, "größer\nzweite Zeile"),
    ]


@pytest.mark.parametrize("name", ["label-studio-min.json", "label-studio.csv"])
def test_an_export_that_lost_our_ids_is_told(work: Path, name: str) -> None:
    wrong = kbe_here("-w", work, "review", "take", WRITTEN / name, code=1)
    assert "ids are lost in JSON-MIN and CSV; export from Label Studio as JSON" in wrong.splitlines()[-1]
