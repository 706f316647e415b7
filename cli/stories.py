"""Prints the story of a sample: wrapped to the terminal, and in colours where there are any."""

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import click

from kbe_graph import SampleStory

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
        text = line.text
        if line.tells == "picture" and sample.picture and _links():
            text = text.replace(str(sample.picture), _link(sample.picture.absolute().as_uri(), str(sample.picture)))
        click.secho(text, color=None if "NO_COLOR" not in os.environ else False, **STYLES[line.tells])


def _links() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _link(uri: str, text: str) -> str:
    """Return text that terminals open at a click (OSC 8)."""
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
