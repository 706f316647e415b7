"""What Label Studio really wrote about the demo is taken as it is (``tests/data/labels``)."""

import json
import shutil
from pathlib import Path

from commands import kbe_here

from kbe_graph import Workspace

WRITTEN = Path(__file__).parents[1] / "data" / "labels"


def test_an_export_of_label_studio_is_taken_once_and_one_without_ids_is_told(demo_made: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(demo_made / "W", tmp_path / "W"))
    for name, said in (
        ("label-studio-min.json", "'data' is not a mapping"),
        ("label-studio.csv", "is incomplete; export as JSON"),
    ):
        assert said in kbe_here("-w", place, "review", "take", WRITTEN / name, code=1)
    take = ("-w", place, "review", "take", WRITTEN / "label-studio.json", "--insist", "--json")
    assert json.loads(kbe_here(*take)) == {"taken": 5, "repeated": 0}
    assert json.loads(kbe_here(*take)) == {"taken": 0, "repeated": 5}
    with Workspace(place, progress=False) as work:
        reviews = work.review.reviews(reviewer="annotator 1")
    criteria = dict.fromkeys(("factual", "consistent", "knowledge", "path", "one", "image", "worth"), "yes")
    assert [(each.question.split("/", 2)[2], each.verdict, dict(each.criteria), each.reason) for each in reviews] == [
        ("107438-country@demo-0/1", "approve", criteria, ""),
        ("107438-country@demo-0/2", "reject", {"factual": "no", "one": "unsure"}, "the sign says otherwise"),
        ("121647-count@demo-0/0", "revise", {}, ""),
        ("126107-bird@demo-0/1", "approve", {"worth": "no"}, ""),
        ("129648-brand@demo-0/1", "reject", {}, "größer, ja\nsecond line"),
    ]
