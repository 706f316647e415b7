"""Closed lists of English words, and word frequencies on the web (spaCy's lexeme probabilities)."""

import gzip
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache

from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data, rows
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
