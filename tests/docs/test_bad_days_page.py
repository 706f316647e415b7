"""The page of bad days names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_test_that_the_page_names_is_there() -> None:
    page = (ROOT / "docs" / "bad-days.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`([\w/]*test_\w+\.py)`", page))
    assert len(names) > 20
    assert [name for name in sorted(names) if not (ROOT / "tests" / name).exists()] == []
