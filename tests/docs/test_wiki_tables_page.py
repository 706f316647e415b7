"""The example of docs/wiki-tables.md prints what the page shows."""

import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs" / "wiki-tables.md").read_text(encoding="utf-8")


def test_the_example_gives_the_tables_that_the_page_shows() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    defined: dict[str, Any] = {}
    exec(code, defined)  # noqa: S102 - the page's own lines
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown == defined["tables"].markdown()
