"""Names: whether two answers may name the same thing, and the usual capitalisation of names in capitals (FRANCE)."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from kbe_graph.english.inflect import is_proper, lemmas, singular
from kbe_graph.english.inflect import names as proper_senses
from kbe_graph.english.wordnet import Lookup, Synset, wordnet
from kbe_graph.english.words import is_of_kind
from kbe_graph.text import amount_in, compatible, fold

_NEAR = 0.7  # similarity from which spellings count as the same
_KEPT = 1 << 14


@lru_cache(_KEPT)
def is_other_name(answer: str, other: str) -> bool:
    """Return True if two answers may name the same thing.

    They share a word, have almost the same spelling, or are synonyms or hypernyms of each other in WordNet. A name that
    WordNet knows by its head only is some kind of that, and neither a synonym nor a hypernym.

    >>> is_other_name("couch", "sofa"), is_other_name("dog", "poodle"), is_other_name("mac", "windows")
    (True, True, False)
    >>> is_other_name("red couch", "sofa"), is_other_name("plains zebra", "Equus grevyi")
    (True, False)
    """
    names = fold(answer), fold(other)
    if not set(lemmas(names[0])).isdisjoint(lemmas(names[1])) or SequenceMatcher(None, *names).ratio() > _NEAR:
        return True
    mine, theirs = (wordnet().lookup(name) for name in names)
    return _is_no_finer(mine, theirs) or _is_no_finer(theirs, mine)


def _is_no_finer(name: Lookup, other: Lookup) -> bool:
    senses, others = ({synset.id for synset in each.synsets} for each in (name, other))
    return not name.head and not senses.isdisjoint(others | _above(others))


def without_names(answer: str, others: Iterable[str]) -> tuple[str, ...]:
    """Drop the answers that may name the same thing as ``answer``.

    >>> without_names("sofa", ("couch", "chair"))
    ('chair',)
    """
    return tuple(other for other in others if not is_other_name(answer, other))


def _above(senses: Iterable[str]) -> set[str]:
    return {kind for sense in senses for kind in wordnet().hypernyms(sense)}


def is_sibling(answer: str, other: str) -> bool:
    """Return True if the first senses of two answers share a direct hypernym: dog and wolf.

    >>> is_sibling("dog", "wolf"), is_sibling("snow", "skiing")
    (True, False)
    """
    parents = [_parents(name) for name in (answer, other)]
    return not parents[0].isdisjoint(parents[1])


def _parents(name: str) -> frozenset[str]:
    senses = wordnet().lookup(name).synsets[:1]
    return frozenset(kind for sense in senses for kind in wordnet().synset(sense.id).hypernyms)


_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}
_SIGNS = re.compile(r"[<>≤≥≠]|(?<!\w)-(?=\s*\.?\d)|(?<=\w)-(?=[\s.]*$)|(?<=\w)#")


def name_key(text: str) -> str:
    """Fold a name, with plurals and number words normalised.

    >>> name_key("The two giraffes")
    '2 giraffe'
    """
    return singular(" ".join(_DIGITS.get(word, word) for word in fold(text).split()))


def same_answer(text: str, name: str, key: Callable[[str], str] = name_key) -> bool:
    """Return True if two answers have the same key; numbers of a unit are compared as numbers, and signs count.

    >>> same_answer("12,345", "12345.0"), same_answer("5km", "5.0 km"), same_answer("-5", "5")
    (True, True, False)
    """
    amount, other = amount_in(text), amount_in(name)
    if amount and other and key(amount.unit) == key(other.unit):
        currencies = {amount.currency, other.currency}
        return amount.number == other.number and ("" in currencies or len(currencies) == 1)
    return key(text) == key(name) and _signs_in(text) == _signs_in(name)


def _signs_in(text: str) -> list[str]:
    return _SIGNS.findall(compatible(text))


_SMALL = {"a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with", "de"}
_NAMED = {"noun.person", "noun.location"}
_COMMON = {f"noun.{kind}" for kind in ("animal", "body", "food", "plant", "substance")}
_LETTERS = 3


@lru_cache(_KEPT)
def as_written(name: str, kind: str = "", others: tuple[str, ...] = ()) -> str:
    """Restore the usual capitalisation of a name in capitals; other names are unchanged.

    WordNet's spelling decides, preferably that of a sense of ``kind``. A name unknown to WordNet is capitalised if the
    kind has titles (a song) or is an organization that the name does not describe, if ``others`` (further names of the
    same thing) are capitalised, if its last word is in no dictionary, or if it is a person or a place and not a common
    noun.

    >>> as_written("FRANCE"), as_written("CANDLE"), as_written("Louvre"), as_written("LIVE AND LET DIE", "song")
    ('France', 'candle', 'Louvre', 'Live and Let Die')
    >>> as_written("EMIRATES", "airline"), as_written("HOME TEAM", "team"), as_written("ORCHESTRA", "organization")
    ('Emirates', 'home team', 'orchestra')
    """
    if not name.isupper():
        return name
    if name in map(_initials, others):
        return name
    if spelled := next(filter(None, (_in_letters_of(other, name) for other in others)), ""):
        return spelled
    titled = _in_title(name, initialisms=not any(sense.lexname in _NAMED for sense in _senses(kind)[:1]))
    spelling = _spelling(name, kind)
    bears_name = _bears_title(name, kind) or _is_of_organization(name, kind)
    if spelling == spelling.lower() and (_initials(name) in others or bears_name):
        return titled
    return spelling or (titled if _is_name(name, kind, others) else name.lower())


def _in_letters_of(other: str, name: str) -> str:
    """Copy the letter case from another spelling of a name; empty if its letters differ or it is in capitals itself.

    >>> _in_letters_of("FedEx Forum", "FEDEXFORUM"), _in_letters_of("the Kennel Club", "KENNEL CLUB")
    ('FedExForum', 'Kennel Club')
    """
    bare = other.removeprefix("the ")
    letters = "".join(bare.split())
    if other.isupper() or letters.upper() != "".join(name.split()) or len(letters.upper()) != len(letters):
        return ""
    written = iter(letters)
    return "".join(character if character.isspace() else next(written) for character in name)


def _bears_title(name: str, kind: str) -> bool:
    above = _senses(kind)[:1] if kind else ()
    common = any(sense.lexname == above[0].lexname for sense in wordnet().lookup(name).synsets) if above else False
    return any(is_of_kind(sense.id, "titled") for sense in above) and not common


def _is_of_organization(name: str, kind: str) -> bool:
    """Return True if the kind is an organization, and neither the name nor its last word is a word for such a one."""
    if not any(_is_a(sense, "organization") for sense in _senses(kind)[:2]):
        return False
    words = dict.fromkeys((fold(name), singular(fold(name).split()[-1])))
    return not any(_is_a(sense, kind) for word in words for sense in wordnet().synsets(word))


def _spelling(name: str, kind: str) -> str:
    folded = fold(name)
    senses = wordnet().synsets(folded)
    if below := tuple(sense for sense in senses if kind and _is_a(sense, kind)):
        senses = below
    elif not is_proper(folded):
        senses = tuple(sense for sense in senses if sense not in proper_senses(folded)) or senses
    lemmas = (lemma.replace("_", " ") for sense in senses for lemma in sense.lemmas)
    return next((lemma for lemma in lemmas if fold(lemma) == folded), "")


def _is_a(sense: Synset, kind: str) -> bool:
    return any(wordnet().is_a(sense.id, above.id) for above in _senses(kind))


def _senses(kind: str) -> Sequence[Synset]:
    return wordnet().lookup(singular(fold(kind))).synsets


def _is_name(name: str, kind: str, others: Iterable[str]) -> bool:
    senses = _senses(kind) if kind else ()
    written = [other for other in others if not other.isupper() and any(map(str.isalpha, other))]
    if written:
        return any(_has_capitals(other) for other in written)
    head = wordnet().synsets(singular(fold(name).split()[-1]))
    if not head:
        return not senses or senses[0].lexname not in _COMMON
    return bool(senses) and senses[0].lexname in _NAMED and head[0].instance


def _initials(name: str) -> str:
    return "".join(word[0].upper() for word in name.split() if word.lower() not in _SMALL)


def _has_capitals(name: str) -> bool:
    return all(word[:1].isupper() for word in name.split() if word.lower() not in _SMALL)


def _in_title(name: str, *, initialisms: bool) -> str:
    words = name.lower().split()
    return " ".join(word if at and word in _SMALL else _capital(word, initialisms) for at, word in enumerate(words))


def _capital(word: str, initialisms: bool) -> str:
    if initialisms and len(word) <= _LETTERS and not wordnet().counts(word):
        return word.upper()
    return "-".join(f"{part[:1].upper()}{part[1:]}" for part in word.split("-"))
