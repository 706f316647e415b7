"""The nouns that an answer may name.

An answer may be the noun itself, a short form of a longer name (second: second base; labrador: Labrador retriever), a
phrase that ends in the noun, or a misspelling by one letter.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import NamedTuple

from kbe_graph.english.number import head
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.files.resources import data
from kbe_graph.question import Reading
from kbe_graph.question.property import CONCRETE, category, is_kind
from kbe_graph.text import fold

NONE = "-"


class Usual(NamedTuple):
    """A concept (``NONE`` if WordNet has no noun for the object), and the context words in which a name means it.

    Without context words, it is the name's usual meaning.
    """

    concept: str
    beside: frozenset[str]


@cache
def _table() -> Mapping[str, tuple[Usual, ...]]:
    table: dict[str, tuple[Usual, ...]] = {}
    for line in data("seen.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, concept, beside, _ = line.split("\t")
            table[word] = (*table.get(word, ()), Usual(concept, frozenset(beside.split())))
    return table


def usual(name: str, words: Collection[str] = (), seen: Collection[str] = ()) -> Usual | None:
    """Look up the usual meaning of a name in an image, given the words of question and scene; None if not listed.

    The sense with most context words wins over the name's usual meaning, and a question's word counts more than any
    seen.
    """
    rows = _table().get(fold(name)) or _table().get(wordnet().base(fold(name)) or "", ())
    asked, near = frozenset(words), frozenset(seen)
    beside = {row: (len(row.beside & asked), len(row.beside & near)) for row in rows}
    best = max(beside, key=lambda row: beside[row], default=None)
    if best and any(beside[best]):
        return best
    return next((row for row in rows if not row.beside), None)


_NAMED = CONCRETE | {"noun.person", "noun.location"}
_DEED = re.compile(r"\w+ing \w")
_GROWN = {"noun.plant", "noun.animal"}
_LONG, _MOSTLY = 6, 1.4


class Candidates(NamedTuple):
    """The synsets that an answer may mean, with their tag counts and ranks under their lemma.

    ``name`` is the lemma that they were found by, and ``reason`` says how.
    """

    counts: Mapping[str, int]
    ranks: Mapping[str, int]
    reason: str
    name: str = ""


def candidates(reading: Reading, name: str) -> Candidates:
    """Find the nouns that a folded answer may name; empty for an action or a word unknown to WordNet."""
    if reading.asks("action") and _DEED.match(name):
        return Candidates({}, {}, "")
    if longer := _longer(reading, name):
        return _senses((longer,), "compound")
    for spelling in (name, name.replace(" ", ""), name.replace(" ", "-")):
        if wordnet().knows(spelling) or wordnet().base(spelling):
            return _senses((spelling, wordnet().base(spelling) or ""), "sense")
    if near := _misspelled(reading, name):
        return _senses((near,), "spelling")
    *modifiers, last = name.split() or [""]
    lookup = wordnet().lookup(name)
    if not lookup.head or not modifiers or not _is_plain(reading, modifiers, last, lookup.synsets):
        return Candidates({}, {}, "")
    return _senses((lookup.lemma, wordnet().base(lookup.lemma) or ""), "head")


def _senses(names: Sequence[str], reason: str) -> Candidates:
    counts: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for name in names:
        for rank, (synset_id, count) in enumerate(wordnet().senses(name) if name else ()):
            counts.setdefault(synset_id, count)
            ranks.setdefault(synset_id, rank)
    return Candidates(counts, ranks, reason, names[-1] or names[0])


def _longer(reading: Reading, name: str) -> str:
    if not reading.firm or not reading.asks_for:
        return ""
    whole = wordnet().morphy(head(reading.asks_for)) or head(reading.asks_for)
    if any(is_kind(synset_id, whole) for synset_id in _senses((name, wordnet().base(name) or ""), "").counts):
        return ""
    return next(_compounds(reading, name, whole), "") or _begun(reading, name)


def _compounds(reading: Reading, name: str, whole: str) -> Iterator[str]:
    for compound in (f"{name} {whole}", f"{name}{whole}", f"{whole} {name}"):
        usual_sense = usual(compound)
        if wordnet().knows(compound) and not (usual_sense and usual_sense.concept == NONE):
            of_kind = any(is_kind(synset_id, whole) for synset_id, _ in wordnet().senses(compound))
            if of_kind or (reading.asks_kind and compound.startswith(name)):
                yield compound


def _begun(reading: Reading, name: str) -> str:
    kinds = {kind.lexname for kind in category(reading.asks_for)}
    own = {wordnet().synset(synset_id).lexname for synset_id, _ in wordnet().senses(name)}
    if not kinds or not kinds <= _GROWN or kinds & own:
        return ""
    begun = {compound: wordnet().senses(compound)[0][0] for compound in wordnet().starting(f"{name} ")}
    fit = {synset_id: compound for compound, synset_id in begun.items() if is_kind(synset_id, reading.asks_for)}
    return next(iter(fit.values())) if len(fit) == 1 else ""


def _misspelled(reading: Reading, name: str) -> str:
    if not reading.firm or len(name) < _LONG or not category(reading.asks_for):
        return ""
    single = wordnet().base(name) or name.removesuffix("s")
    spellings = (near for spelling in {name, single} for near in _near(spelling))
    fit = {near: wordnet().senses(near) for near in wordnet().nouns_among(spellings)}
    fit = {near: senses for near, senses in fit.items() if len(senses) == 1 or near.startswith(name[:_LONG])}
    asked = {
        near for near, senses in fit.items() if any(is_kind(synset_id, reading.asks_for) for synset_id, _ in senses)
    }
    return asked.pop() if len(asked) == 1 else ""


def _near(name: str) -> Iterator[str]:
    for at in range(len(name) + 1):
        before, after = name[:at], name[at:]
        yield from (before + letter + after[cut:] for letter in ascii_lowercase for cut in (0, 1))
        yield before + after[1:]
        yield before + after[1::-1] + after[2:]


def _is_plain(reading: Reading, modifiers: Sequence[str], last: str, synsets: Sequence[Synset]) -> bool:
    """Return True if the head of an unknown phrase may stand for it.

    It may not in names, whose other words are often unknown, in actions (block sun), in lists of foods (lettuce
    chicken) or for objects that only look like it (stuffed animal).
    """
    counts = [wordnet().counts(modifier) for modifier in modifiers]
    first = synsets[0]
    if _is_deed(reading, modifiers[0], last, counts[0]):
        return False
    if first.instance or first.lexname not in _NAMED or words("unreal") & {*modifiers, *reading.asks_for.split()}:
        return False
    if any(
        all(synset.instance for synset in wordnet().synsets(modifier))
        for modifier in modifiers
        if wordnet().knows(modifier)
    ):
        return False
    if reading.asks("action") or (reading.asks("reason") and "v" in counts[0]) or _is_list(modifiers, synsets):
        return False
    described = all("a" in count or modifier.isdigit() for count, modifier in zip(counts, modifiers, strict=True))
    return described or (
        reading.asks_for != "person" and all("n" in count for count in counts) and wordnet().morphy(last) is not None
    )


def _is_deed(reading: Reading, word: str, last: str, counts: Mapping[str, int]) -> bool:
    noun, verb, adjective = (counts.get(part, -1) for part in "nva")
    opens = (word.endswith("ing") and adjective < 1) or (not reading.firm and verb > _MOSTLY * max(noun, adjective, 0))
    return opens and (wordnet().base(last) or last) != head(reading.asks_for)


def _is_list(modifiers: Sequence[str], synsets: Sequence[Synset]) -> bool:
    foods = all(any(synset.lexname == "noun.food" for synset in wordnet().synsets(modifier)) for modifier in modifiers)
    return foods and any(synset.lexname in _GROWN for synset in synsets)
