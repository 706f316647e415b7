"""The description of a picture on Commons, in which texts of several languages stand one after the other."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from kbe_graph.files.resources import names_in, rows
from kbe_graph.text import on_one_line


def in_language(attribution: str, language: str) -> str:
    """Return the text of a description in a language (``en``), empty where no name of this language introduces one.

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
    """Return True if a description says of any of its texts which language it is in."""
    return bool(_introductions().search(attribution))


@cache
def _names() -> Mapping[str, frozenset[str]]:
    """Return the names that each language has for itself, in small letters, by its code."""
    file = files("kbe_graph.wiki").joinpath("languages.tsv")
    return {
        code: frozenset(map(str.casefold, names_in(names))) for _, (code, names) in rows(file, ("language", "names"))
    }


@cache
def _introductions() -> re.Pattern[str]:
    """Return the pattern of a language's name and a colon, at the beginning of a word."""
    names = sorted({name for names in _names().values() for name in names}, key=len, reverse=True)
    return re.compile(rf"(?:^|(?<=\s))(?P<name>{'|'.join(map(re.escape, names))})\s?[:：]\s", re.IGNORECASE)
