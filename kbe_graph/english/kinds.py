"""Named groups of WordNet synsets that rules refer to, and the coarse type of an entity."""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache

from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data, rows

_SYNSET = re.compile(r"wn30:\d{8}-n")


def synset_of(concept: str) -> Synset | None:
    """Look up the WordNet noun of a concept id; None for another vocabulary's id. Raises ResourceError if unknown."""
    return wordnet().synset(concept) if _SYNSET.fullmatch(concept) else None


def kinds_of(concept: str) -> tuple[str, ...]:
    """List a WordNet noun and all its hypernyms, nearest first; empty for another vocabulary's id."""
    return (concept, *wordnet().hypernyms(concept)) if _SYNSET.fullmatch(concept) else ()


_WORDNET, _NOUN = "wn30:", "noun."
# vocabularies in which all ids have the same type
_VOCABULARIES = {"iso3166": "location", "element": "substance"}


@lru_cache(1 << 14)
def entity_type(name: str, concept: str = "") -> str:
    """Determine the type of an entity: the lexicographer file of its concept, or of its name's most frequent sense.

    Empty if neither is known.

    >>> entity_type("GIRAFFE"), entity_type("ITALY", "iso3166:ITA"), entity_type("XYZZY")
    ('animal', 'location', '')
    """
    vocabulary = concept.partition(":")[0]
    if vocabulary in _VOCABULARIES:
        return _VOCABULARIES[vocabulary]
    with suppress(ResourceError):  # a concept of another WordNet version
        if concept.startswith(_WORDNET):
            return wordnet().synset(concept).lexname.removeprefix(_NOUN)
    synsets = wordnet().lookup(name.lower()).synsets
    kinds = [synset for synset in synsets if not synset.instance]  # prefer a crane to Stephen Crane
    return (kinds or synsets)[0].lexname.removeprefix(_NOUN) if synsets else ""


COLUMNS = ("name", "synset", "lemma", "definition")
_KEPT = 1 << 8  # combinations of kinds that rules use


@lru_cache(_KEPT)
def kind(*names: str) -> frozenset[str]:
    """Get the synset ids of the named kinds. Raises ResourceError for a kind that is not in ``kinds.tsv``.

    >>> sorted(kind("animal", "person"))
    ['wn30:00007846-n', 'wn30:00015388-n']
    """
    table = _kinds()
    if unknown := [name for name in names if name not in table]:
        raise ResourceError(f"no kind {unknown[0]!r}; add it to kinds.tsv, a row for each synset")
    return frozenset[str]().union(*(table[name] for name in names))


def is_of_kind(concept: str, *names: str) -> bool:
    """Return True if a concept belongs to one of the named kinds; concepts from outside WordNet never do.

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
