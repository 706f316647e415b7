"""The page of settings tells of every variable that the code reads."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_variable_that_the_package_reads_is_in_the_settings() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    sources = "\n".join(file.read_text() for folder in ("kbe_graph", "cli") for file in ROOT.glob(f"{folder}/**/*.py"))
    read = set(re.findall(r"\"((?:KBE|NEO4J|OPENAI)_[A-Z_]+)\"", sources))
    assert len(read) > 10
    assert sorted(name for name in read if f"`{name}`" not in page) == []
