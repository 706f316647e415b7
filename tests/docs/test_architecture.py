"""docs/architecture.md draws the floors that the house is held to."""

import re
from pathlib import Path

from test_house import FLOORS

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")


def _names(cell: str) -> set[str]:
    return {name.rstrip("/").rpartition("/")[2].removesuffix(".py") for name in re.findall(r"`([^`]+)`", cell)}


def test_the_page_draws_the_floors_of_the_house() -> None:
    rows = re.findall(r"^\| (\d) \| (.+) \|$", PAGE, re.MULTILINE)
    assert {name: int(floor) for floor, cell in rows for name in _names(cell)} == FLOORS


def test_the_page_tells_what_each_room_does() -> None:
    rooms = PAGE.partition("## Rooms")[2].partition("\n## ")[0]
    told = {name for cell in re.findall(r"^\| (`.+?) \|", rooms, re.MULTILINE) for name in _names(cell)}
    assert told >= set(FLOORS) - {"__init__"}
