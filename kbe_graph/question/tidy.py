"""Tidies the text of a benchmark's question: what people type is not always a sentence."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from kbe_graph.english.frequency import frequency
from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.question.rewrites import rewrite

_NAMES = {"God", "I", "TV"}
# Words that WordNet does not hold are spelled right from about this many in a thousand million on; slips are rarer.
_SPELLED = 1000
_ONE_OF_MANY = re.compile(r"\b(?:this|an?) ([a-z]+s) (?=[a-z]+\b)")
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])")


def tidy(question: str) -> str:
    """Return a question in plain form: one space, known misspellings mended, no mark at the end, no capital in front.

    What softens a question ("do you think", "can you guess", "in this picture," in front) is taken off; a question that
    loses "in this picture" keeps it at its end.
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
    """Return the first word of a tidied question that is no English word or is a single letter, empty where none is."""
    if match := next((match for match in _ONE_OF_MANY.finditer(text) if _is_many_beings(match[1])), None):
        return match[0]
    return next((word for word in _WORD.findall(text) if not _spelled(word)), "")


def _is_many_beings(word: str) -> bool:
    """Return whether a word means several animals or people, and nothing else (this animals food)."""
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
    return frequency(word) >= (1 if bases else _SPELLED)  # "weared" has a base, and nobody writes it


@lru_cache(1 << 14)
def _capital(word: str) -> str:
    """Return a word with the capital of a name, where WordNet knows it as nothing else (germany, american)."""
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
