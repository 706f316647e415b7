"""The tables of patterns that questions are read by: ``data/question/*.tsv``.

A row is a regular expression with its meaning, an example and a counter-example. All are tried when a table is loaded:
the example must have the row's outcome, and another one without the row. ``{kinds}`` in a pattern stands for a row of
``fragments.tsv``, or for the words of a list of ``english.txt``.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.resources import columns_of, data, rows
from kbe_graph.question.tidy import compiled, rewrite, tidy
from kbe_graph.text import fold


@dataclass(frozen=True)
class Texts:
    """A question as ``written``, and the texts that patterns look at instead, each made when it is first asked for."""

    written: str

    @cached_property
    def lowered(self) -> str:
        """Small letters and single spaces; marks are kept."""
        return " ".join(self.written.lower().split())

    @cached_property
    def folded(self) -> str:
        """The normal form of names: no case, no marks, no article in front."""
        return fold(self.written)

    @cached_property
    def plain(self) -> str:
        """The folded text without the "made" that does not say of what."""
        return rewrite("man-made", self.folded)

    @cached_property
    def tidied(self) -> str:
        """The text as it can stand inside another question."""
        return tidy(self.written)

    @cached_property
    def noun(self) -> str:
        """The noun phrase that is asked for, else empty."""
        return _noun(table("nouns"), self)[0]


class Pattern(NamedTuple):
    """A row of a table: a pattern, the text of a question that it searches, its meaning, and its outcome.

    ``example`` is a question that has the ``outcome`` by this row alone; in the question ``counter`` the row finds
    nothing.
    """

    words: re.Pattern[str]
    text: str
    meaning: str
    gives: str
    example: str
    outcome: str
    counter: str

    def find(self, texts: Texts) -> re.Match[str] | None:
        """Return the place of the first match of the pattern, None if it does not match."""
        return self.words.search(getattr(texts, self.text))


Outcome = Callable[[Sequence[Pattern], Texts], Collection[str]]


def first(patterns: Sequence[Pattern], texts: Texts) -> tuple[str]:
    """Return the meaning of the first row that is met, the empty string where none is."""
    return (next((pattern.meaning for pattern in patterns if pattern.find(texts)), ""),)


def _all(patterns: Sequence[Pattern], texts: Texts) -> frozenset[str]:
    return frozenset(pattern.meaning for pattern in patterns if pattern.find(texts))


def _noun(patterns: Sequence[Pattern], texts: Texts) -> tuple[str]:
    """Return the noun phrase that the first row finds; people are asked for as a person."""
    matches = ((pattern, pattern.find(texts)) for pattern in patterns)
    noun = next((match.expand(pattern.gives).strip() for pattern, match in matches if match), "")
    return ("person" if noun.endswith(("people", "persons")) else noun,)


TABLES: Mapping[str, tuple[str, Outcome]] = {
    "flags": ("written", _all),
    "files": ("folded", first),
    "types": ("lowered", first),
    "nouns": ("plain", _noun),
    "sought": ("noun", first),
    "forms": ("tidied", first),
}
"""The tables: the text that each looks at where its rows name none, and what its rows say of a question."""


def decide(name: str, texts: Texts) -> str:
    """Return the value of the first row of a table that matches a question, else the empty string."""
    return next(iter(TABLES[name][1](table(name), texts)))


def flagged(meaning: str, texts: Texts) -> str:
    """Return a question's first words that mean something by the table of flags, the empty string where none do."""
    matches = [match for pattern in _flags()[meaning] if (match := pattern.find(texts))]
    return min(matches, key=re.Match.start)[0] if matches else ""


def pairs(meaning: str, texts: Texts) -> tuple[tuple[str, ...], ...]:
    """Return the groups of all that a question says of a meaning by the table of flags."""
    return tuple(match.groups() for row in _flags()[meaning] for match in row.words.finditer(getattr(texts, row.text)))


@lru_cache(maxsize=len(TABLES))
def table(name: str) -> tuple[Pattern, ...]:
    """Return the rows of a table.

    Raises DatasetError for a row that is no pattern, whose example has another outcome, or the same one without the
    row, or that finds its counter-example.
    """
    lines = dict(_rows(name))
    patterns = tuple(lines.values())
    for line, pattern in lines.items():
        if fault := problem(pattern, patterns, TABLES[name][1]):
            raise DatasetError(f"{name}.tsv", fault, line=line)
    return patterns


@cache
def _flags() -> Mapping[str, list[Pattern]]:
    flags: dict[str, list[Pattern]] = {}
    for pattern in table("flags"):
        flags.setdefault(pattern.meaning, []).append(pattern)
    return flags


def problem(pattern: Pattern, patterns: Sequence[Pattern], outcome: Outcome) -> str:
    """Return the fault of a row, empty if it keeps its word."""
    example, others = Texts(pattern.example), [other for other in patterns if other is not pattern]
    if pattern.outcome not in (outcomes := outcome(patterns, example)):
        return f"{pattern.example!r} is read as {', '.join(outcomes)!r}, not as {pattern.outcome!r}"
    if pattern.outcome in outcome(others, example):
        return f"{pattern.example!r} is read as {pattern.outcome!r} without this row too"
    return f"the counter-example {pattern.counter!r} is found" if pattern.find(Texts(pattern.counter)) else ""


def _rows(name: str) -> Iterator[tuple[int, Pattern]]:
    file = data(f"question/{name}.tsv")
    columns = columns_of(file)
    for line, fields in rows(file, columns):
        row = {"text": TABLES[name][0], "meaning": "", "gives": "", **dict(zip(columns, fields, strict=True))}
        words, outcome = compiled(row["pattern"], file.name, line), row.get("outcome", row["meaning"])
        yield (
            line,
            Pattern(words, row["text"], row["meaning"], row["gives"], row["example"], outcome, row["counter-example"]),
        )
