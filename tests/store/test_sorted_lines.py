"""Lines come in the order of their keys, however many fit in memory, and nothing is left of them."""

import json
from pathlib import Path
from random import Random

import pytest

from kbe_graph.store.backup import SortedLines

LINES = [(json.dumps(["a b"[n % 3], n % 7]).encode(), f'"line {n:03}"\n'.encode()) for n in range(300)]


@pytest.mark.parametrize("most", [1, 1_000, 5_000, 1 << 20])
def test_lines_come_by_key_and_then_by_line(tmp_path: Path, most: int) -> None:
    shuffled = Random(most).sample(LINES, len(LINES))
    with SortedLines(tmp_path, most) as lines:
        for key, line in shuffled:
            lines.add(key, line)
        assert [*lines] == [line for _, line in sorted(LINES)]
        assert [*tmp_path.iterdir()] == []


def test_there_may_be_none(tmp_path: Path) -> None:
    with SortedLines(tmp_path) as lines:
        assert [*lines] == []
