"""The blocks of docs/extending.md run; tests/workspace/test_plugins.py shows the same kinds of additions at work."""

import re
from pathlib import Path
from typing import Any

from filter_cases import candidate

from kbe_graph.checks import build_checks
from kbe_graph.datasets.format import ReadOptions
from kbe_graph.facts.pack import pack
from kbe_graph.facts.walk import Walk
from kbe_graph.files.records import open_source

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")


def test_what_the_page_adds_is_taken(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)  # noqa: S102 - the page's own lines
    file = tmp_path / "birds.jsonl"
    file.write_text('{"id": "1", "photo": "a.jpg", "asked": "What bird is this?", "bird": "swan"}\n')
    (row,) = names["BIRDS"].rows(open_source(file), ReadOptions())
    assert (row.sample.question, row.sample.answer, row.sample.image_id) == ("What bird is this?", "swan", "a")
    check, walk = names["TooLong"](pack(), None), Walk(pack())
    assert check.decide(candidate(check.refused, walk)).reason == "too long"
    assert check.decide(candidate(check.passed, walk)).keep
    assert check.name in {each.name for each in build_checks(pack(), further=(names["TooLong"],)).all}
    assert {"SKETCHES", "PAIRS", "REPLIES"} <= names.keys()
