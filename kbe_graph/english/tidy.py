"""Normalisation of a benchmark question's text: stepwise rewrites, spelling, and a single sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency, is_of_kind, words
from kbe_graph.errors import DatasetError
from kbe_graph.files.resources import data, rows

_FRAGMENT = re.compile(r"\{([a-z ]+)\}")
_TITLE = "(title)"  # replaces the match by its title case


class Rewrite(NamedTuple):
    """A rewrite rule: in its step, ``put`` replaces the match; only this row turns ``example`` into ``outcome``."""

    step: str
    words: re.Pattern[str]
    put: str
    example: str
    outcome: str

    def apply(self, text: str) -> str:
        """Apply the rule to a text."""
        return self.words.sub((lambda match: match[0].title()) if self.put == _TITLE else self.put, text)


def rewrite(step: str, text: str) -> str:
    """Apply the rules of a step to a text, in order."""
    return _applied(rewrites()[step], text)


@cache
def rewrites() -> Mapping[str, Sequence[Rewrite]]:
    """Load the rules by step. Raises DatasetError for an invalid pattern or a rule that fails its example."""
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
    """Compile a row's pattern with its fragments expanded. Raises DatasetError for an invalid pattern."""
    return _compiled(pattern, fragments(), file, line)


@cache
def fragments() -> Mapping[str, str]:
    """Load the pattern parts that rows share; a row may use those above it. Raises DatasetError like ``rewrites``."""
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


_NAMES = {"God", "I", "TV"}
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
def misspelled(text: str) -> str:
    """Find the first word of a tidied question that is misspelled or a stray letter; empty if there is none."""
    if match := next((match for match in _ONE_OF_MANY.finditer(text) if _is_many_beings(match[1])), None):
        return match[0]
    return next((word for word in _WORD.findall(text) if not _spelled(word)), "")


def _is_many_beings(word: str) -> bool:
    return is_plural(word) and any(
        is_of_kind(synset.id, "organism") for synset in wordnet().synsets(singular(word))[:1]
    )


@lru_cache(1 << 14)
def _spelled(word: str) -> bool:
    if len(word) == 1:
        return word == "a"
    bases = {wordnet().morphy(word, part) for part in ("n", "v", "a", "r")} - {None}
    if word in words("stop") or word in bases:
        return True
    return frequency(word) >= (1 if bases else _SPELLED)  # "weared" has a base but does not occur


@lru_cache(1 << 14)
def _capital(word: str) -> str:
    """Capitalise a word if WordNet knows it only as a name (germany, american)."""
    if len(word) < 4 or word != word.lower():
        return word
    senses = wordnet().synsets(word)
    if wordnet().base(word) or any(wordnet().knows(word, part) for part in ("v", "r")) or not senses:
        return word
    if wordnet().knows(word, "a") and not word.endswith(("an", "ese", "ish", "ch")):
        return word
    named = all(any(lemma == word.capitalize() for lemma in synset.lemmas) for synset in senses)
    return word.capitalize() if named else word


def _lower_first(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in _NAMES or (first.isupper() and len(first) > 1):
        return text if first.lower() not in _WH else f"{first.lower()} {rest}"
    return f"{first.lower()} {rest}".strip()


_WH = {"what", "which", "who", "whom", "whose", "where", "when", "why", "how", "name", "is", "are", "does", "do"}
