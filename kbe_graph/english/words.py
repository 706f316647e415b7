"""Closed lists of English words, and word frequencies on the web (spaCy's lexeme probabilities)."""

import gzip
from collections.abc import Mapping
from functools import cache, lru_cache

from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data
from kbe_graph.text import fold


@cache
def _lists() -> dict[str, frozenset[str]]:
    lists: dict[str, set[str]] = {}
    words: set[str] = set()
    for line in data("english.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = lists.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            words.update(word.replace("_", " ") for word in line.split())
    return {name: frozenset(words) for name, words in lists.items()}


@lru_cache(1 << 9)
def words(name: str) -> frozenset[str]:
    """Get the list ``name`` of ``data/english.txt``. Raises ResourceError for an unknown list."""
    if name not in _lists():
        raise ResourceError(f"no word list {name!r}; there are {', '.join(map(repr, _lists()))}")
    return _lists()[name]


@cache
def _rates() -> Mapping[str, int]:
    text = gzip.decompress(data("frequencies.tsv.gz").read_bytes()).decode()
    pairs = (line.split("\t") for line in text.splitlines())
    return {word: int(rate) for word, rate in pairs}


@lru_cache(1 << 14)
def frequency(name: str) -> int:
    """Get the frequency of a name's rarest word per thousand million words; 0 if unknown.

    Singular and plural share a count. "Dog" has about 180,000, "cygnet" 22, "leveret" 4.
    """
    return min(map(_rate, fold(name).split()), default=0)


def _rate(word: str) -> int:
    return _rates().get(word) or _rates().get(wordnet().base(word) or "", 0)
