"""What options hold: numbers that end, values with a type, files to write."""

import json
import math
from pathlib import Path
from typing import Any

import click

STANDARD_OUTPUT = Path("/dev/stdout")
_OF_OUTPUT = {STANDARD_OUTPUT, Path("/dev/fd/1"), Path("/proc/self/fd/1")}
LARGEST = 2**63  # the numbers that a graph can hold are smaller


class FiniteFloat(click.FloatRange):
    """A number within bounds that is neither infinite nor no number at all."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; raises UsageError."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number that can be counted to.", param, ctx)
        return number


class OutputFile(click.Path):
    """A file to write, or also a folder; ``-`` is standard output."""

    def __init__(self, *, or_folder: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=or_folder, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the file's path; raises UsageError."""
        return STANDARD_OUTPUT if str(value) == "-" else super().convert(value, param, ctx)


SECONDS = FiniteFloat(min=0, min_open=True, max=1e8)
DOLLARS = FiniteFloat(min=0)
YEARS = FiniteFloat(min=0, max=1_000)


def is_standard_output(file: Path) -> bool:
    """Return whether a file is the stream that a command prints to, so that its words must go elsewhere."""
    return file in _OF_OUTPUT


def typed(text: str) -> Any:
    """Return a value as JSON writes it (1, 2.5, true, null, "text", a list), else the text itself.

    >>> typed("1"), typed('"1"'), typed("[1, 2]"), typed("giraffe")
    (1, '1', [1, 2], 'giraffe')
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    too_large = isinstance(value, int) and not -LARGEST <= value < LARGEST
    return text if isinstance(value, dict) or too_large else value


def _refuse(name: str) -> Any:
    raise ValueError(name)
