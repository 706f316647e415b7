"""The tables for reading a question's words: rewrites of its text, and patterns with a meaning (``data/question``).

A row holds a regular expression with an example and a counter-example, which tests hold it to. ``{kinds}`` in a pattern
refers to a row of ``fragments.tsv``, or to a word list in ``english.txt``.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency, is_of_kind, words
from kbe_graph.errors import DatasetError
from kbe_graph.files.resources import columns_of, data, rows
from kbe_graph.text import fold

_FRAGMENT = re.compile(r"\{([a-z ]+)\}")
_TITLE = "(title)"  # replaces the match by its title case


def compiled(pattern: str, file: str, line: int, parts: Mapping[str, str] | None = None) -> re.Pattern[str]:
    """Compile a row's pattern with its fragments expanded. Raises DatasetError for an invalid pattern."""
    shared = fragments() if parts is None else parts
    try:
        return re.compile(
            _FRAGMENT.sub(lambda match: shared.get(match[1]) or "|".join(sorted(words(match[1]))), pattern)
        )
    except re.error as error:
        raise DatasetError(file, f"'pattern' {pattern!r} is none: {error}", line=line) from error


@cache
def fragments() -> Mapping[str, str]:
    """Load the pattern parts that rows share; a row may use those above it."""
    file = data("question/fragments.tsv")
    parts: dict[str, str] = {}
    for line, (name, pattern, _, _) in rows(file, ("name", "pattern", "example", "counter-example")):
        parts[name] = compiled(pattern, file.name, line, parts).pattern
    return parts


class Rewrite(NamedTuple):
    """A rewrite rule: in its step, ``put`` replaces the match, which turns ``example`` into ``outcome``."""

    words: re.Pattern[str]
    put: str
    example: str
    outcome: str

    def apply(self, text: str) -> str:
        """Apply the rule to a text."""
        return self.words.sub((lambda match: match[0].title()) if self.put == _TITLE else self.put, text)


@cache
def rewrites() -> Mapping[str, Sequence[Rewrite]]:
    """Load the rules by step."""
    file = data("question/rewrites.tsv")
    steps: dict[str, list[Rewrite]] = {}
    for line, (step, pattern, *rest) in rows(file, ("step", "pattern", "put", "example", "outcome")):
        steps.setdefault(step, []).append(Rewrite(compiled(pattern, file.name, line), *rest))
    return steps


def rewrite(step: str, text: str) -> str:
    """Apply the rules of a step to a text, in order."""
    for row in rewrites()[step]:
        text = row.apply(text)
    return text


_NAMES = {"God", "I", "TV"}
_WH = {"what", "which", "who", "whom", "whose", "where", "when", "why", "how", "name", "is", "are", "does", "do"}
# A word unknown to WordNet counts as correct from about this frequency per thousand million; misspellings are rarer.
_SPELLED = 1000
_ONE_OF_MANY = re.compile(r"\b(?:this|an?) ([a-z]+s) (?=[a-z]+\b)")
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])")


def tidy(question: str) -> str:
    """Normalise a question: single spaces, known misspellings corrected, no final punctuation, no initial capital.

    Softening words at the beginning ("do you think", "can you guess", "in this picture,") are removed; if that removes
    "in this picture", it is added at the end.
    """
    text = re.sub(r"\s+", " ", question.replace("’", "'").replace("`", "'")).strip().rstrip("?.!,;: ")
    text = rewrite("marks", text)
    text = " ".join(_capital(_spelling().get(word.lower(), word)) for word in text.split())
    text = rewrite("slips", rewrite("names", _lower_first(text)))
    direct = rewrite("lead", text)
    if direct != text and direct.startswith(("the ", "this ", "that ", "these ")):
        direct = f"name {direct}"
    bare = rewrite("in image", direct)
    text = rewrite("hedge", bare).strip(" ,")
    return _lower_first(rewrite("image last", text) if bare != direct else text)


@cache
def _spelling() -> Mapping[str, str]:
    return {written: meant for _, (written, meant) in rows(data("question/spelling.tsv"), ("written", "meant"))}


@lru_cache(1 << 14)
def _capital(word: str) -> str:
    """Capitalise a word if WordNet knows it only as a name (germany, american)."""
    senses = wordnet().synsets(word) if len(word) > 3 and word == word.lower() else ()
    other = wordnet().base(word) or any(wordnet().knows(word, part) for part in ("v", "r"))
    if not senses or other or (wordnet().knows(word, "a") and not word.endswith(("an", "ese", "ish", "ch"))):
        return word
    named = all(any(lemma == word.capitalize() for lemma in synset.lemmas) for synset in senses)
    return word.capitalize() if named else word


def _lower_first(text: str) -> str:
    first, _, rest = text.partition(" ")
    is_name = first in _NAMES or (first.isupper() and len(first) > 1)
    return text if is_name and first.lower() not in _WH else f"{first.lower()} {rest}".strip()


@lru_cache(1 << 14)
def misspelled(text: str) -> str:
    """Find the first word of a tidied question that is misspelled or a stray letter; empty if there is none."""
    if match := next((match for match in _ONE_OF_MANY.finditer(text) if _is_many_beings(match[1])), None):
        return match[0]
    return next((word for word in _WORD.findall(text) if not _spelled(word)), "")


def _is_many_beings(word: str) -> bool:
    beings = wordnet().synsets(singular(word))[:1] if is_plural(word) else ()
    return any(is_of_kind(synset.id, "organism") for synset in beings)


@lru_cache(1 << 14)
def _spelled(word: str) -> bool:
    if len(word) == 1:
        return word == "a"
    bases = {wordnet().morphy(word, part) for part in ("n", "v", "a", "r")} - {None}
    if word in words("stop") or word in bases:
        return True
    return frequency(word) >= (1 if bases else _SPELLED)  # "weared" has a base but does not occur


@dataclass(frozen=True)
class Texts:
    """A question, and its normalised texts for pattern matching, each computed on first use."""

    text: str

    @property
    def written(self) -> str:
        """The text itself."""
        return self.text

    @cached_property
    def lowered(self) -> str:
        """The text in lower case with single spaces; punctuation is kept."""
        return " ".join(self.text.lower().split())

    @cached_property
    def folded(self) -> str:
        """The normal form used for names: no case, no punctuation, no leading article."""
        return fold(self.text)

    @cached_property
    def plain(self) -> str:
        """The folded text with "man-made" rewritten, as its "made" does not ask for a material."""
        return rewrite("man-made", self.folded)

    @cached_property
    def tidied(self) -> str:
        """The text in a form that can be part of another question."""
        return tidy(self.text)

    @cached_property
    def asks_for(self) -> str:
        """The noun phrase after "what", "kind of" and the like; person, location or time for who, where and when."""
        return decide("nouns", self)


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
    "sought": ("asks_for", first),
    "forms": ("tidied", first),
}
"""The tables, each with its default text and the function that computes its outcome for a question."""


@cache
def table(name: str) -> tuple[Pattern, ...]:
    """Load the rows of a table. Raises DatasetError for an invalid pattern."""
    file = data(f"question/{name}.tsv")
    columns, patterns = columns_of(file), []
    for line, fields in rows(file, columns):
        row = {"text": TABLES[name][0], "meaning": "", "gives": "", **dict(zip(columns, fields, strict=True))}
        row = {"outcome": row["meaning"], **row}
        words_ = compiled(row["pattern"], file.name, line)
        values = (row[column] for column in ("text", "meaning", "gives", "example", "outcome", "counter-example"))
        patterns.append(Pattern(words_, *values))
    return tuple(patterns)


def decide(name: str, texts: Texts) -> str:
    """Get the value of a table's first row that matches a question; empty if none matches."""
    return next(iter(TABLES[name][1](table(name), texts)))


@cache
def _flags() -> Mapping[str, list[Pattern]]:
    flags: dict[str, list[Pattern]] = {}
    for pattern in table("flags"):
        flags.setdefault(pattern.meaning, []).append(pattern)
    return flags


def flagged(meaning: str, texts: Texts) -> str:
    """Find the first words of a question with this meaning in the flags table; empty if there are none."""
    matches = [match for pattern in _flags()[meaning] if (match := pattern.find(texts))]
    return min(matches, key=re.Match.start)[0] if matches else ""
