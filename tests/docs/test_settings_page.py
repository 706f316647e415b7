"""Every setting that the code reads stands on the page on settings, with its meaning."""

import re
from dataclasses import fields
from pathlib import Path

from kbe_graph.checks import FilterSettings
from kbe_graph.models.settings import ModelSettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
MODELS = PAGE.partition("## Models")[2]
ROWS = {
    cells[0]: cells[1:] for row in re.findall(r"^\| `(.*?) \|$", MODELS, re.MULTILINE) if (cells := row.split(" | "))
}
COUNTED = {"max_tokens", "in_flight", "requests_per_minute", "tokens_per_minute", "timeout", "patience", "image_side"}


def test_a_setting_has_its_default_and_its_meaning() -> None:
    rows = {row.strip("`"): cells for row, cells in ROWS.items()}
    for name in (each.name for each in fields(ModelSettings) if each.name != "step"):
        _, unit, meaning = rows[name][-3:]
        assert len(meaning.split()) > 1
        assert bool(unit.strip()) or name not in COUNTED


def test_every_variable_that_the_package_reads_is_there() -> None:
    sources = "\n".join(file.read_text() for folder in ("kbe_graph", "cli") for file in ROOT.glob(f"{folder}/**/*.py"))
    read = set(re.findall(r"\"((?:KBE|NEO4J|OPENAI)_[A-Z_]+)\"", sources))
    assert len(read) > 10
    assert sorted(name for name in read if f"`{name}`" not in PAGE) == []


def test_a_threshold_has_its_default() -> None:
    for field in fields(FilterSettings):
        default = f"`{field.default}`" if field.default else ""
        assert f"| `{field.name}` | {default} |" in PAGE
