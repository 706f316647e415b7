"""Every setting of a model stands in the page on settings, with what it means."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from kbe_graph.models.settings import Capabilities, ModelSettings

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
MODELS = PAGE.partition("## Models")[2].partition("## Commands")[0]
ROWS = {
    cells[0]: cells[1:] for row in re.findall(r"^\| `(.*?) \|$", MODELS, re.MULTILINE) if (cells := row.split(" | "))
}
COUNTED = {"max_tokens", "in_flight", "requests_per_minute", "tokens_per_minute", "timeout", "patience", "image_side"}


@pytest.mark.parametrize("name", [each.name for kind in (ModelSettings, Capabilities) for each in fields(kind)])
def test_a_setting_has_its_default_and_its_meaning(name: str) -> None:
    if name == "step":
        return
    row = next(row for row in ROWS if row.strip("`") == name)
    _, unit, meaning = ROWS[row][-3:]
    assert len(meaning.split()) > 1
    assert bool(unit.strip()) or name not in COUNTED
