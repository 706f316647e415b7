"""What is written otherwise before a question is read, step by step: ``data/question/rewrites.tsv``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kbe_graph.english.words import words
from kbe_graph.errors import DatasetError
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows

_FRAGMENT = re.compile(r"\{([a-z ]+)\}")
_TITLE = "(title)"  # what is found, with capitals


class Rewrite(NamedTuple):
    """A row: in this step, ``put`` replaces what is found; so ``example`` becomes ``outcome``, by this row alone."""

    step: str
    words: re.Pattern[str]
    put: str
    example: str
    outcome: str

    def apply(self, text: str) -> str:
        """Return a text rewritten by the row."""
        return self.words.sub((lambda match: match[0].title()) if self.put == _TITLE else self.put, text)


def rewrite(step: str, text: str) -> str:
    """Return a text as the rows of a step write it, one after the other."""
    return _applied(rewrites()[step], text)


@cache
def rewrites() -> Mapping[str, Sequence[Rewrite]]:
    """Return the rows by their steps; raises DatasetError for a row that is no pattern or does not keep its example."""
    steps: dict[str, list[Rewrite]] = {}
    table = list(_rows())
    for _, row in table:
        steps.setdefault(row.step, []).append(row)
    for line, row in table:
        others = [other for other in steps[row.step] if other is not row]
        if _applied(steps[row.step], row.example) != row.outcome or _applied(others, row.example) == row.outcome:
            raise DatasetError(
                "rewrites.tsv", f"{row.example!r} does not become {row.outcome!r} by this row", line=line
            )
    return steps


def compiled(pattern: str, file: str, line: int) -> re.Pattern[str]:
    """Return a row's pattern with its fragments put in; raises DatasetError where it is none."""
    return _compiled(pattern, fragments(), file, line)


@cache
def fragments() -> Mapping[str, str]:
    """Return the parts that patterns share; a row may use those above it. Raises DatasetError as ``rewrites`` does."""
    file = data("question/fragments.tsv")
    parts: dict[str, str] = {}
    for line, (name, pattern, example, counter) in rows(file, ("name", "pattern", "example", "counter-example")):
        part = _compiled(pattern, parts, file.name, line)
        if not part.fullmatch(example) or part.fullmatch(counter):
            raise DatasetError(file.name, f"{pattern!r} is not all of {example!r}, or is {counter!r}", line=line)
        parts[name] = part.pattern
    return parts


def _compiled(pattern: str, parts: Mapping[str, str], file: str, line: int) -> re.Pattern[str]:
    try:
        return re.compile(
            _FRAGMENT.sub(lambda match: parts.get(match[1]) or "|".join(sorted(words(match[1]))), pattern)
        )
    except re.error as error:
        raise DatasetError(file, f"'pattern' {pattern!r} is none: {error}", line=line) from error


def _rows() -> Iterator[tuple[int, Rewrite]]:
    file = data("question/rewrites.tsv")
    for line, (step, pattern, *rest) in rows(file, ("step", "pattern", "put", "example", "outcome")):
        yield line, Rewrite(step, compiled(pattern, file.name, line), *rest)


def _applied(steps: Sequence[Rewrite], text: str) -> str:
    for row in steps:
        text = row.apply(text)
    return text
