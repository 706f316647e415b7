"""Files that guessers learn from: what ``kbe export`` writes, and what is wrong in others."""

import json
from pathlib import Path
from typing import Any

import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.evaluate.guessers import blind_question_of, read_blind_questions
from kbe_graph.export.jsonl import record
from kbe_graph.types import IMAGE, Entity, Question, Sample, Triplet

SAMPLE = Sample("b/s/1", "b", "s", "What flag is it?", "japan", image="COCO_val2014_000000000007.jpg", image_id="7")
KEY = (Triplet(IMAGE, "depicts", Entity("JAPAN")), Triplet(Entity("JAPAN"), "capital", Entity("TOKYO")))
QUESTION = Question("b/s/1@r/1", "b/s/1", "r", 1, "explored", "Which capital?", "Tokyo", KEY, aliases=("Edo",))
LINE = record(SAMPLE, QUESTION)


def write(file: Path, *lines: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_what_was_exported_is_read_as_what_it_was_made_of(tmp_path: Path) -> None:
    file = write(tmp_path / "e.jsonl", LINE, LINE | {"id": "dropped", "status": "dropped"})
    assert read_blind_questions(file) == [blind_question_of(SAMPLE, QUESTION)]


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    for change, problem in [
        ({"kind": "odd"}, "line 2: 'kind' is 'odd'; it must be one of raw, reselected, explored"),
        ({"kind": ""}, "line 2: 'kind' is empty"),
        ({"hop": "two"}, "line 2: 'hop' must be a number"),
        ({"hop": 3}, "line 2: 'hop' is 3, but 'key' holds 2 triplets"),
        ({"key": "path"}, "line 2: 'key' must be a list of triplets"),
        ({"key": [{"subject": "IMAGE"}]}, "key triplet 1 line 2: no 'relation' field"),
        ({"answer": None}, "line 2: 'answer' is empty"),
    ]:
        file = write(tmp_path / "e.jsonl", LINE, LINE | change)
        with pytest.raises(DatasetError, match=problem):
            read_blind_questions(file)
