"""Rules for Wikidata properties: which are relations, their wording, which are protected, and usable values."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.english.inflect import head, is_plural, with_head
from kbe_graph.english.parse import Word, tagged
from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.facts.relation import FILE, Relation, read_relations, relations
from kbe_graph.facts.wikidata.entity import number_text, quantity_text
from kbe_graph.files.resources import names_in, rows

_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_CLAUSE = {"DET", "PRON", "AUX", "CCONJ", "SCONJ", "PART", "ADV"}
_WHOLE = {"class", "instance", "member", "part", "participant", "subclass"}  # the object follows these words


def relation_phrase(label: str) -> str:
    """Turn a property's label into a noun phrase with ``{}`` for the subject, or return an empty string.

    A noun with its modifiers becomes "the LABEL of {}". Other labels do not name a thing: an adjective, participle or
    verb, an alternative (or, commas), a final preposition (capital of), and the whole that a member or part belongs to.

    >>> [relation_phrase(label) for label in ("country of origin", "owned by")]
    ['the country of origin of {}', '']
    """
    words = tagged(label) if _WORDS.fullmatch(label) else ()
    return f"the {label} of {{}}" if _is_noun_phrase(words) else ""


def _is_noun_phrase(words: Sequence[Word]) -> bool:
    tags = [word.tag for word in words]
    if not words or _CLAUSE & set(tags) or "ADP" in (tags[0], tags[-1]):
        return False
    front = words[: tags.index("ADP") if "ADP" in tags else len(words)]
    link = "".join(word.low for word in words[len(front) : len(front) + 1])
    if link and (front[0].low in _WHOLE or (front[-1].tag != "NOUN" and link != "of")):
        return False
    return _is_noun(front[-1]) and not any(map(_is_third_person, front))


def _is_noun(word: Word) -> bool:
    return _count(word, "n") >= 0 or max(_count(word, "v"), _count(word, "a")) < 0


def _is_third_person(word: Word) -> bool:
    is_form = word.low.endswith("s") and wordnet().morphy(word.low, "v") not in (None, word.low)
    return is_form and _count(word, "v") >= _count(word, "n")


def _count(word: Word, part: Part) -> int:
    base = wordnet().morphy(word.low, part)
    return -1 if base is None else wordnet().counts(base).get(part, 0)


_YEAR = re.compile(r"\+?([1-9]\d{3})-\d\d-\d\dT")
_TO_THE_YEAR = 9
_MOST_DIGITS = 4


def year(time: str, precision: str) -> str:
    """Return the year of a time, or an empty string if it is less precise or before the year 1000.

    >>> year("1969-02-09T00:00:00Z", "11")
    '1969'
    """
    match = _YEAR.match(time)
    return match[1] if match and precision.isdecimal() and int(precision) >= _TO_THE_YEAR else ""


def amount(number: str, unit: str) -> str:
    """Format an amount with its unit (``1`` for none); empty if negative or of more than four significant digits.

    >>> amount("+1300", "kilometre")
    '1300 kilometres'
    """
    text = number_text(number)
    is_long = len(text.replace(".", "").strip("0")) > _MOST_DIGITS
    return "" if is_long or text.startswith("-") else quantity_text(number, unit)


TIME, QUANTITY = "time", "quantity"
"""Datatypes of properties whose values are not items."""


@cache
def properties() -> Mapping[str, Relation]:
    """Return the relation of each property in the packaged table; raises DatasetError for an invalid row.

    All count as functional, since a relation is asked about only for subjects with one value. Empty cells of relations
    that the packaged facts have too are filled from there.
    """
    return read_relations(files("kbe_graph.facts.wikidata").joinpath(FILE), relations(), key="property")


def protected() -> tuple[str, ...]:
    """Return the properties that are never asked about, in table order."""
    return tuple(name for name, relation in properties().items() if relation.protected)


@lru_cache(1 << 12)
def relation_of(name: str, label: str, datatype: str) -> Relation | None:
    """Return the relation of a property (P2043), given its English label (length) and datatype (``quantity``).

    It comes from the packaged tables if they have the property or label; otherwise it is worded by its label: "the
    length of {}". None for a protected property, and for a label that does not make a noun phrase.
    """
    relation = properties().get(name) or relations().get(label)
    if relation is not None:
        return None if relation.protected else relation
    phrase = "" if read(label).protected else _phrase(label, datatype)
    return Relation(label, (phrase,), family=label) if phrase else None


def _phrase(label: str, datatype: str) -> str:
    if datatype == QUANTITY and is_plural(label):
        return relation_phrase(f"number of {label}")
    if datatype == TIME and head(label).casefold() in {"date", "time"}:
        return relation_phrase(with_head(label, "year"))
    phrase = relation_phrase(label)
    return f"the year of {phrase}" if phrase and datatype == TIME else phrase


COLUMNS = ("property", "label", "subject", "question", "mark")


class Askable(NamedTuple):
    """A row of the table: the questions for items of a kind, in one or more wordings with ``{}`` for the item.

    ``mark`` is ``choice only`` if several answers are right unless options are given. In a row without questions, it is
    the reason.
    """

    property_id: str
    label: str
    subject: tuple[str, ...]
    questions: tuple[str, ...]
    mark: str


@cache
def table() -> Mapping[str, tuple[Askable, ...]]:
    """Return the rows of the table by property."""
    by_property: dict[str, tuple[Askable, ...]] = {}
    for _, (name, label, subject, question, mark) in rows(
        files("kbe_graph.facts.wikidata").joinpath("askable.tsv"), COLUMNS
    ):
        row = Askable(name, label, names_in(subject), names_in(question), mark)
        by_property[name] = (*by_property.get(name, ()), row)
    return by_property


@cache
def unasked() -> Mapping[str, str]:
    """Return the properties without any question, each with its reason, such as ``private``."""
    return {name: askings[0].mark for name, askings in table().items() if not any(each.questions for each in askings)}
