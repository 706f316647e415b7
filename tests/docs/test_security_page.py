"""The page on security names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_each_test_that_the_page_names_is_there() -> None:
    names = set(re.findall(r"`tests/([\w/]*test_\w+\.py)`", PAGE))
    assert names
    assert [name for name in sorted(names) if not (ROOT / "tests" / name).exists()] == []
