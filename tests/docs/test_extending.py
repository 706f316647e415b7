"""The examples of docs/extending.md do what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest
from filter_cases import candidate

from kbe_graph.checks import build_checks
from kbe_graph.datasets.view import View
from kbe_graph.facts.pack import pack
from kbe_graph.facts.walk import Walk
from kbe_graph.files.records import open_source
from kbe_graph.scoring.prediction_formats import open_predictions

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the blocks of code define."""
    defined: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, defined)  # noqa: S102 - the page's own lines
    return defined


def test_the_format_reads_its_samples(names: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "birds.jsonl"
    file.write_text('{"id": "1", "photo": "a.jpg", "asked": "What bird is this?", "bird": "swan"}\n')
    source = open_source(file)
    assert names["BIRDS"].matches(source)
    (row,) = names["BIRDS"].rows(source, None)
    assert (row.sample.question, row.sample.answer, row.sample.image_id) == ("What bird is this?", "swan", "a")


def test_the_annotation_reader_gives_things_and_links(names: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "sketches.jsonl"
    file.write_text('{"image": "7", "things": ["dog", "ball"], "links": [["dog", "chasing", "ball"]]}\n')
    ((key, view),) = names["SKETCHES"].read(file, {"7"})
    assert key == "7"
    assert isinstance(view, View)
    assert view.links == (("dog", "chasing", "ball"),)
    assert list(names["SKETCHES"].read(file, {"8"})) == []


def test_the_check_refuses_its_row_and_passes_the_other(names: dict[str, Any]) -> None:
    check = names["TooLong"](pack(), None)
    walk = Walk(pack())
    assert check.decide(candidate(check.refused, walk)).reason == "too long"
    assert check.decide(candidate(check.passed, walk)).keep
    assert names["TooLong"].name in {each.name for each in build_checks(pack(), further=(names["TooLong"],)).all}


def test_the_export_writes_a_line_a_question(names: dict[str, Any], tmp_path: Path) -> None:
    from kbe_graph.export.selection import Selection
    from kbe_graph.types import Question, Sample

    sample = Sample("b/s/1", "b", "s", "What bird is this?", "swan", image="a.jpg")
    question = Question("b/s/1@raw/0", "b/s/1", "raw", 0, "raw", "What bird is this?", "swan", ())
    assert names["PAIRS"].write(tmp_path / "pairs.tsv", Selection([question], {"b/s/1": sample})) == 1
    assert (tmp_path / "pairs.tsv").read_text() == "a.jpg\tWhat bird is this?\tswan\n"


def test_the_format_of_predictions_is_recognised_and_read(names: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "replies.csv"
    file.write_text("item,reply\n7,swan\n")
    source = open_predictions(file)
    assert names["REPLIES"].matches(source)
    assert [(row.id, row.text) for row in names["REPLIES"].rows(source)] == [("7", "swan")]
