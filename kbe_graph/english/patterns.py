"""The pattern tables for reading questions: ``data/question/*.tsv``.

A row holds a regular expression with its meaning, an example and a counter-example. They are tested when a table is
loaded: the example must have the row's outcome, and another one without the row. ``{kinds}`` in a pattern refers to a
row of ``fragments.tsv``, or to a word list in ``english.txt``.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.english.tidy import compiled, rewrite, tidy
from kbe_graph.errors import DatasetError
from kbe_graph.files.resources import columns_of, data, rows
from kbe_graph.text import fold


@dataclass(frozen=True)
class Texts:
    """A question as ``written``, and its normalised texts for pattern matching, each computed on first use."""

    written: str

    @cached_property
    def lowered(self) -> str:
        """The text in lower case with single spaces; punctuation is kept."""
        return " ".join(self.written.lower().split())

    @cached_property
    def folded(self) -> str:
        """The normal form used for names: no case, no punctuation, no leading article."""
        return fold(self.written)

    @cached_property
    def plain(self) -> str:
        """The folded text with "man-made" rewritten, as its "made" does not ask for a material."""
        return rewrite("man-made", self.folded)

    @cached_property
    def tidied(self) -> str:
        """The text in a form that can be part of another question."""
        return tidy(self.written)

    @cached_property
    def noun(self) -> str:
        """The noun phrase that the question asks for; empty if there is none."""
        return _noun(table("nouns"), self)[0]


class Pattern(NamedTuple):
    """A row of a table: a pattern, the text it searches, its meaning, and its outcome.

    ``example`` is a question with the ``outcome`` only because of this row; the row does not match the question
    ``counter``.
    """

    words: re.Pattern[str]
    text: str
    meaning: str
    gives: str
    example: str
    outcome: str
    counter: str

    def find(self, texts: Texts) -> re.Match[str] | None:
        """Find the pattern's first match; None if there is none."""
        return self.words.search(getattr(texts, self.text))


Outcome = Callable[[Sequence[Pattern], Texts], Collection[str]]


def first(patterns: Sequence[Pattern], texts: Texts) -> tuple[str]:
    """Get the meaning of the first matching row; an empty string if none matches."""
    return (next((pattern.meaning for pattern in patterns if pattern.find(texts)), ""),)


def _all(patterns: Sequence[Pattern], texts: Texts) -> frozenset[str]:
    return frozenset(pattern.meaning for pattern in patterns if pattern.find(texts))


def _noun(patterns: Sequence[Pattern], texts: Texts) -> tuple[str]:
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
"""The tables, each with its default text and the function that computes its outcome for a question."""


def decide(name: str, texts: Texts) -> str:
    """Get the value of a table's first row that matches a question; empty if none matches."""
    return next(iter(TABLES[name][1](table(name), texts)))


def flagged(meaning: str, texts: Texts) -> str:
    """Find the first words of a question with this meaning in the flags table; empty if there are none."""
    matches = [match for pattern in _flags()[meaning] if (match := pattern.find(texts))]
    return min(matches, key=re.Match.start)[0] if matches else ""


def pairs(meaning: str, texts: Texts) -> tuple[tuple[str, ...], ...]:
    """Collect the groups of all matches with this meaning in the flags table."""
    return tuple(match.groups() for row in _flags()[meaning] for match in row.words.finditer(getattr(texts, row.text)))


@lru_cache(maxsize=len(TABLES))
def table(name: str) -> tuple[Pattern, ...]:
    """Load and test the rows of a table.

    Raises DatasetError for an invalid pattern, an example that has another outcome or the same one without the row, or
    a counter-example that matches.
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
    """Describe why a row fails its examples; empty if it passes."""
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
