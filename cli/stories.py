"""Prints what people read of a sample, a concept or a workspace: wrapped to the terminal, in its colours."""

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph import SampleStory
from kbe_graph.cli.printing import paint, say, say_lines, terminal_width

if TYPE_CHECKING:
    from kbe_graph.facts.walk import EntityFacts

WIDE = 120


def print_story(sample: SampleStory, *, brief: bool = False) -> None:
    """Print a sample's story; ``brief`` leaves the words of the sources out."""
    for line in sample.lines(width=min(terminal_width(), WIDE), brief=brief):
        picture = sample.picture if line.tells == "picture" else None
        say(line.text, paint=partial(_paint, tells=line.tells, picture=picture))


def print_concept(concept: "EntityFacts") -> None:
    """Print what is known of a concept."""
    from kbe_graph.report.fact_story import concept_story

    say_lines(concept_story(concept, width=min(terminal_width(), WIDE)))


def print_status(counts: Mapping[str, Any]) -> None:
    """Print what became of the samples, on one screen."""
    from kbe_graph.report.status import reasons_in_words, screen

    say_lines(screen(counts, reasons_in_words(), width=terminal_width()))


def _paint(text: str, *, tells: str, picture: Path | None) -> str:
    if not picture or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return paint(text, tells)
    place = text.removeprefix("  picture").strip()
    return text.replace(place, _link(picture.absolute().as_uri(), place)) if place else text


def _link(uri: str, text: str) -> str:
    """Return text that terminals open at a click (OSC 8)."""
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
