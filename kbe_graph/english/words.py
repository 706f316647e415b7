"""Closed lists of English words, read from the package."""

from functools import cache, lru_cache

from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data


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
    """Return the list ``name`` of ``data/english.txt``; raises ResourceError for an unknown one."""
    if name not in _lists():
        raise ResourceError(f"no word list {name!r}; there are {', '.join(map(repr, _lists()))}")
    return _lists()[name]
