"""The page on security lists what a query may call, and names tests that are there."""

import re
from pathlib import Path

from kbe_graph.store.user_query import NAMESPACES, PROCEDURES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_the_page_lists_what_a_query_may_call() -> None:
    listed = PAGE.partition("## Functions and procedures allowed in queries")[2]
    assert set(re.findall(r"`(.+?)`", listed)) == NAMESPACES | PROCEDURES


def test_each_test_that_the_page_names_is_there() -> None:
    names = set(re.findall(r"`tests/([\w/]*test_\w+\.py)`", PAGE))
    assert names
    assert [name for name in sorted(names) if not (ROOT / "tests" / name).exists()] == []
