"""A careful model's re-selection, as bench/reselected.py acts it; the bench finds out where nothing comes of it."""

import json
from pathlib import Path
from typing import Any

from benches import bench

bench("scripted")
reselected = bench("reselected")
SAMPLES = 8


def test_paths_of_each_length_are_asked_for_and_end_at_nouns(tmp_path: Path) -> None:
    questions = reselected.reselected(tmp_path, reselected.chosen(SAMPLES))
    rows = [row for row in reselected.rows(questions) if row[1]]
    assert sum(samples for _, samples, *_ in rows) < SAMPLES  # a path of one edge asks nothing
    assert [longest for longest, *_ in rows] == [3, 4, 6]
    assert all(by_model and not not_nouns for *_, by_model, _, not_nouns in rows)
    assert all(line.startswith(("longest path of 2", "longest path of 5")) for line in reselected.problems(questions))


def test_nothing_is_asked_of_what_the_question_does_not_name_and_the_bench_tells(tmp_path: Path) -> None:
    def beside(step: str, text: str) -> dict[str, Any]:
        said = reselected.careful_reply(step, text)
        first = said["visual"][0]["o"] if step == "graph" else ""
        return json.loads(json.dumps(said).replace(f'"{first}"', '"ACCORDION"')) if first else said

    questions = reselected.reselected(tmp_path, reselected.chosen(SAMPLES), beside)
    assert len(reselected.problems(questions)) == 5
    assert not any(by_model for *_, by_model, _, _ in reselected.rows(questions))
