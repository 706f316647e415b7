"""Prints the story of a sample: wrapped to the terminal, and in colours where there are any."""

import os
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from kbe_graph import SampleStory
from kbe_graph.cli.printing import say
from kbe_graph.text import visible

STYLES: Mapping[str, Mapping[str, Any]] = {
    "sample": {"bold": True, "underline": True},
    "question": {"bold": True},
    "answer": {"fg": "green"},
    "fact": {"dim": True},
    "path": {"fg": "cyan"},
    "picture": {},
}
NARROW, WIDE = 40, 120


def print_story(sample: SampleStory, *, brief: bool = False) -> None:
    """Print a sample's story; ``brief`` leaves the words of the sources out."""
    width = min(max(shutil.get_terminal_size((100, 24)).columns, NARROW), WIDE)
    for line in sample.lines(width=width, brief=brief):
        picture = sample.picture if line.tells == "picture" else None
        say(line.text.replace("\n", "\\n"), paint=partial(_paint, style=STYLES[line.tells], picture=picture))


def _paint(text: str, *, style: Mapping[str, Any], picture: Path | None) -> str:
    if picture and _links():
        name = visible(str(picture))
        text = text.replace(name, _link(picture.absolute().as_uri(), name))
    return text if "NO_COLOR" in os.environ else click.style(text, **style)


def _links() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _link(uri: str, text: str) -> str:
    """Return text that terminals open at a click (OSC 8)."""
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
