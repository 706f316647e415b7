"""Attributions of Commons pictures, which string together texts in several languages."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from kbe_graph.files.resources import names_in, rows
from kbe_graph.text import on_one_line


def in_language(attribution: str, language: str) -> str:
    """Return the text of an attribution in a language (``en``), empty if no name of the language introduces one.

    >>> in_language("English: Coin of Ukraine Русский: Юбилейная монета", "en")
    'Coin of Ukraine'
    """
    starts = list(_introductions().finditer(attribution))
    ends = [*(start.start() for start in starts[1:]), len(attribution)]
    names = _names().get(language, frozenset())
    texts = (
        on_one_line(attribution[start.end() : end])
        for start, end in zip(starts, ends, strict=False)
        if start["name"].casefold() in names
    )
    return next(filter(None, texts), "")


def names_a_language(attribution: str) -> bool:
    """Return True if an attribution labels any of its texts with a language."""
    return bool(_introductions().search(attribution))


@cache
def _names() -> Mapping[str, frozenset[str]]:
    """Return the lower-case names that introduce each language, by code."""
    file = files("kbe_graph.wiki").joinpath("languages.tsv")
    return {
        code: frozenset(map(str.casefold, names_in(names))) for _, (code, names) in rows(file, ("language", "names"))
    }


@cache
def _introductions() -> re.Pattern[str]:
    """Compile the pattern of a language name and a colon, at the start of a word."""
    names = sorted({name for names in _names().values() for name in names}, key=len, reverse=True)
    return re.compile(rf"(?:^|(?<=\s))(?P<name>{'|'.join(map(re.escape, names))})\s?[:：]\s", re.IGNORECASE)
