"""The page of bad days names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_test_that_the_page_names_is_there() -> None:
    page = (ROOT / "docs" / "bad-days.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`([\w/]*test_\w+\.py)`", page))
    assert len(names) > 20
    assert [name for name in sorted(names) if not (ROOT / "tests" / name).exists()] == []


def test_each_row_has_as_many_cells_as_its_head() -> None:
    page = (ROOT / "docs" / "bad-days.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert len(tables) > 9
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table
