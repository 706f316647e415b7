"""Kinds of things by name: the WordNet synsets that the rules speak of, with their definitions, in one table."""

from collections.abc import Mapping
from functools import cache, lru_cache

from kbe_graph.english.concept import kinds_of
from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows

COLUMNS = ("name", "synset", "lemma", "definition")
_KEPT = 1 << 8  # the kinds that rules ask for together


@lru_cache(_KEPT)
def kind(*names: str) -> frozenset[str]:
    """Return the ids of the synsets of the named kinds; raises ResourceError for one that ``kinds.tsv`` does not name.

    >>> sorted(kind("animal", "person"))
    ['wn30:00007846-n', 'wn30:00015388-n']
    """
    table = _kinds()
    if unknown := [name for name in names if name not in table]:
        raise ResourceError(f"no kind {unknown[0]!r}; add it to kinds.tsv, a row for each synset")
    return frozenset[str]().union(*(table[name] for name in names))


def is_of_kind(concept: str, *names: str) -> bool:
    """Return whether a concept is of one of the named kinds; a concept of another source than WordNet is of none.

    >>> is_of_kind("wn30:02084071-n", "animal")
    True
    """
    return not kind(*names).isdisjoint(kinds_of(concept))


@cache
def _kinds() -> Mapping[str, frozenset[str]]:
    kinds: dict[str, set[str]] = {}
    for _, (name, synset, _, _) in rows(data("kinds.tsv"), COLUMNS):
        kinds.setdefault(name, set()).add(synset)
    return {name: frozenset(synsets) for name, synsets in kinds.items()}
