"""Statement filters; the reasons of a statement are the names of the filters that refuse it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import is_of_kind
from kbe_graph.facts.wikidata.entity import ONE
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.files.resources import rows
from kbe_graph.types import WikiItem, WikiStatement

WIKIMEDIA_KINDS = frozenset(
    {
        *("Q4167410", "Q4167836", "Q11266439", "Q13406463", "Q17442446"),  # disambiguation, category, template, list
        *("Q4663903", "Q15184295", "Q14204246", "Q17633526", "Q20010800"),  # portal, module, project, news, user page
    }
)
"""Kinds of items that are wiki pages rather than things."""


_NONE: Mapping[str, Sequence[str]] = MappingProxyType({})


def filter_statements(
    item: WikiItem, statements: Iterable[WikiStatement], kinds: Mapping[str, Sequence[str]] = _NONE
) -> tuple[WikiStatement, ...]:
    """Set the reasons of an item's statements: the names of the filters that refuse each; the order is kept.

    ``kinds`` is what values are instances of, by item. A value that is repeated in another unit, or with nearly the
    same number, is kept only once.
    """
    judged = [replace(statement, reasons=tuple(_reasons(item, statement, kinds))) for statement in statements]
    kept_of: dict[str, list[WikiStatement]] = defaultdict(list)
    for row in judged:
        if row.kept:
            kept_of[row.property_id].append(row)
    twice = {id_ for rows in kept_of.values() for id_ in _repeats(rows)}
    return tuple(replace(row, reasons=(*row.reasons, REPEATED)) if row.id in twice else row for row in judged)


REPEATED = "repeated value"


def _reasons(item: WikiItem, statement: WikiStatement, kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield from property_reasons(statement.relation, statement.datatype)
    refused = {
        "deprecated rank": statement.rank == "deprecated",
        "not the best rank": statement.rank != "deprecated" and not statement.best,
        "ended or of a part": not statement.current,
        "no value": statement.kind == "none",
        "unknown value": statement.kind == "unknown",
        "protected attribute": _is_protected(item, statement),
        "value is a Wikimedia page": _is_page(statement, kinds),
        "value is the item itself": statement.target == item.id != "",
    }
    yield from (name for name, refuses in refused.items() if refuses)
    if reason := _value_reason(statement):
        yield reason


@lru_cache(1 << 14)
def property_reasons(label: str, datatype: str) -> tuple[str, ...]:
    """Return the filters that refuse a property, given its English label and datatype (``external-id``).

    >>> property_reasons("IMDb ID", "external-id"), property_reasons("number of spans", "quantity")
    (('identifier datatype',), ())
    """
    reasons = [] if label else ["property without a label"]
    if datatype not in _SAYABLE:
        reasons.append("identifier datatype" if datatype == "external-id" else "other datatype")
    return (*reasons, *(name for name, words in _ABOUT_PAGES.items() if words.search(label)))


_SAYABLE = {"wikibase-item", "quantity", "time"}
_ABOUT_PAGES = {
    "Wikimedia page": re.compile(
        r"\b(?:Commons|Wiki[mp]edia|Wikidata|Wikinews|Wikisource|Wikivoyage|Wikibase|template|portal|namespace)\b"
        r"|\b(?:category|categories) (?:for|of|combines|contains|populates|related)|(?:of topic|topic's)\b"
        r"|\blist of (?:works|monuments|episodes|characters)\b|\b(?:is a|has) list\b|'s main (?:topic|category)\b",
        re.IGNORECASE,
    ),
    "speaks of the entry": re.compile(
        r"\bdescribed by\b|\bdifferent from\b|\bsaid to be the same\b|\bpermanent duplicated\b"
        r"|\bWikiProject\b|\bfocus list\b|\bsandbox\b|\bOBSOLETE\b|\bpropert(?:y|ies) (?:constraint|for this)"
        r"|\bconstraint\b|\bstated (?:as|in)\b|\bnamed as\b",
        re.IGNORECASE,
    ),
}
_PAGE = re.compile(
    r"(?:Category|Template|Portal|Wikipedia|Module|Help|File):\S|(?:list|lists|outline|index) of ", re.IGNORECASE
)


def _is_protected(item: WikiItem, statement: WikiStatement) -> bool:
    label = statement.relation
    if not item.human:
        return False
    return statement.property_id in protected() or bool(read(label).protected or _ATTRIBUTES.search(label))


_ATTRIBUTES = re.compile(
    r"\b(?:ancestry|baptis(?:m|ed)|canoni[sz]ation|citizenship|disability|ethnic\w*|gender|marriage|married|religio(?:n|us)"
    r"|sex|sexual|worship|dates? of (?:birth|burial|death))\b|\bage (?:at|of)\b|^age$"
)


def _is_page(statement: WikiStatement, kinds: Mapping[str, Sequence[str]]) -> bool:
    if statement.kind != "item":
        return False
    return not WIKIMEDIA_KINDS.isdisjoint(kinds.get(statement.target, ())) or bool(_PAGE.match(statement.text))


def _value_reason(statement: WikiStatement) -> str:
    if statement.text or statement.kind in {"none", "unknown"}:
        return ""
    if statement.kind == "item":
        return "value without a label"
    return "unit without a label" if statement.kind == "quantity" and not statement.unit else "value without words"


_ASKED_OF_PEOPLE = re.compile(
    r"\bhow old (?:is|are|was|were) (?:he|she|they|(?:this|that|these|the) (?:\w+ )?(?:man|woman|person|people))\b"
    r"|\b(?:his|her|their) (?:age|birthday|birth year|husband|wife|spouse|race|faith)\b"
    r"|\bwhen (?:was|were) (?:he|she|they) born\b|\b(?:year|date|day) of (?:\w+ )?birth\b",
    re.IGNORECASE,
)


def protected_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that ask for, or are, a protected attribute of people; usually none.

    >>> protected_words("What religion does he follow?"), protected_words("Is she a follower of Hinduism?")
    (('religion',), ('Hinduism',))
    """
    asked = [read(text).protected, *(match[0] for match in _ASKED_OF_PEOPLE.finditer(text))]
    asked += [match[0] for match in _ATTRIBUTES.finditer(text)]
    named = (word for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text) if _is_attribute(word.lower()))
    return tuple(dict.fromkeys(filter(None, [*asked, *named])))


@lru_cache(1 << 14)
def _is_attribute(word: str) -> bool:
    """Return True for a religion, ethnic group or similar, but not for a word that also names a building (church)."""
    synsets = wordnet().lookup(word).synsets
    built = any(synset.lexname == "noun.artifact" for synset in synsets)
    return bool(synsets) and not built and is_of_kind(synsets[0].id, "protected attribute")


_NEAR = 0.005


class Unit(NamedTuple):
    """A unit: its measure (such as length), its size in SI units, and the offset of its scale."""

    measure: str
    factor: float
    offset: float
    metric: bool


@cache
def measured_units() -> Mapping[str, Unit]:
    """Return the convertible units by English label; raises DatasetError."""
    file = files("kbe_graph.facts.wikidata").joinpath("units.tsv")
    columns = ("unit", "measure", "factor", "offset", "metric")
    return {
        name: Unit(measure, float(factor), float(offset), metric == "yes")
        for _, (name, measure, factor, offset, metric) in rows(file, columns)
    }


def _repeats(statements: Sequence[WikiStatement]) -> Iterator[str]:
    """Yield the ids of a property's statements that repeat the value of another, metric units kept in preference."""
    words: set[str] = set()
    measures: list[tuple[str, float]] = []
    for statement in sorted(statements, key=lambda each: not _unit_of(each).metric):
        spoken = {statement.target, statement.text.casefold()} - {""}
        measure = _measure(statement)
        if spoken & words or (measure and any(_is_near(measure, other) for other in measures)):
            yield statement.id
        words |= spoken
        measures += [measure] if measure else []


def _unit_of(statement: WikiStatement) -> Unit:
    return measured_units().get(statement.unit, Unit(statement.unit, 1.0, 0.0, metric=False))


def _measure(statement: WikiStatement) -> tuple[str, float] | None:
    if statement.kind != "quantity" or statement.unit in {ONE, ""}:
        return None
    unit = _unit_of(statement)
    return unit.measure, float(json.loads(statement.raw)["amount"]) * unit.factor + unit.offset


def _is_near(measure: tuple[str, float], other: tuple[str, float]) -> bool:
    (name, size), (other_name, other_size) = measure, other
    return name == other_name and abs(size - other_size) <= _NEAR * max(abs(size), abs(other_size))
