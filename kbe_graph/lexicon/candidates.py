"""The nouns that an answer may name: as it stands, as a compound that it shortens, or by the last word of a phrase."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.lexicon.constraints import CONCRETE
from kbe_graph.lexicon.number import head
from kbe_graph.lexicon.question import Asked, is_kind
from kbe_graph.lexicon.wordnet import Synset, wordnet
from kbe_graph.lexicon.words import words

_NAMED = CONCRETE | {"noun.person", "noun.location", "noun.Tops"}
_DEED = re.compile(r"\w+ing \w")
_GROWN = {"noun.plant", "noun.animal"}


class Candidates(NamedTuple):
    """The synsets that a name may mean, with how often each was tagged and its rank under its lemma; ``reason`` how found."""

    counts: Mapping[str, int]
    ranks: Mapping[str, int]
    reason: str


def candidates(about: Asked, name: str) -> Candidates:
    """Return what a folded answer may name, nothing where it names a person or a deed, or WordNet does not know it."""
    if about.action and _DEED.match(name):
        return Candidates({}, {}, "")
    if compound := _compound(about, name):
        return _senses((compound,), "compound")
    for spelling in (name, name.replace(" ", ""), name.replace(" ", "-")):
        if wordnet().knows(spelling) or wordnet().base(spelling):
            return _senses((spelling, wordnet().base(spelling) or ""), "sense")
    *modifiers, last = name.split() or [""]
    found = wordnet().lookup(name)
    if not found.head or not modifiers or not _is_plain(about, modifiers, last, found.synsets):
        return Candidates({}, {}, "")
    return _senses((found.lemma, wordnet().base(found.lemma) or ""), "head")


def _senses(names: Sequence[str], reason: str) -> Candidates:
    counts: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for name in names:
        for rank, (synset_id, count) in enumerate(wordnet().senses(name) if name else ()):
            counts.setdefault(synset_id, count)
            ranks.setdefault(synset_id, rank)
    return Candidates(counts, ranks, reason)


def _compound(about: Asked, name: str) -> str:
    """Return the compound that the answer shortens: "fishing" to what kind of boat is fishing boat."""
    if not about.kind or not about.noun:
        return ""
    whole = wordnet().morphy(head(about.noun)) or head(about.noun)
    if any(is_kind(synset_id, whole) for synset_id in _senses((name, wordnet().base(name) or ""), "").counts):
        return ""
    return next((compound for compound in (f"{name} {whole}", f"{name}{whole}") if wordnet().knows(compound)), "")


def _is_plain(about: Asked, modifiers: Sequence[str], last: str, synsets: Sequence[Synset]) -> bool:
    """Return whether the head of an unknown phrase may stand for it.

    Not in names, whose other words are often unknown; not in deeds (block sun), lists of foods (lettuce chicken) and what is
    no such thing at all (stuffed animal).
    """
    counts = [wordnet().counts(modifier) for modifier in modifiers]
    first = synsets[0]
    if first.instance or first.lexname not in _NAMED or words("unreal") & set(modifiers):
        return False
    if any(
        all(one.instance for one in wordnet().synsets(modifier)) for modifier in modifiers if wordnet().knows(modifier)
    ):
        return False
    if about.action or (about.reason and "v" in counts[0]) or _is_list(modifiers, synsets):
        return False
    described = all("a" in count or modifier.isdigit() for count, modifier in zip(counts, modifiers, strict=True))
    return described or (
        about.noun != "person" and all("n" in count for count in counts) and wordnet().morphy(last) is not None
    )


def _is_list(modifiers: Sequence[str], synsets: Sequence[Synset]) -> bool:
    """Return whether a phrase sets foods side by side: each is one, and the last a plant or an animal as well."""
    foods = all(any(one.lexname == "noun.food" for one in wordnet().synsets(modifier)) for modifier in modifiers)
    return foods and any(one.lexname in _GROWN for one in synsets)
