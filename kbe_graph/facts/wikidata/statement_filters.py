"""Statement filters; the reasons of a statement are the names of the filters that refuse it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import is_of_kind
from kbe_graph.facts.wikidata.entity import ONE
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.files.resources import rows
from kbe_graph.types import WikiItem, WikiStatement

CORPUS = 10_000
"""Number of counted items from which a low count marks a property as rare."""
SUPPORT = 10
"""Minimum number of items with a property, if rare ones are refused."""

WIKIMEDIA_KINDS = frozenset(
    {
        *("Q4167410", "Q4167836", "Q11266439", "Q13406463", "Q17442446"),  # disambiguation, category, template, list
        *("Q4663903", "Q15184295", "Q14204246", "Q17633526", "Q20010800"),  # portal, module, project, news, user page
    }
)
"""Kinds of items that are wiki pages rather than things."""


@dataclass(frozen=True, slots=True)
class StatementFilters:
    """What is known of all items, as far as filters need it.

    ``counts`` is the number of items with each property, out of ``counted``: from 10,000 items on, a property that
    fewer than 10 have is refused. ``kinds`` is what values are instances of, by item.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    counted: int = 0
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_rare(self, property_id: str) -> bool:
        """Return True if too few of many items have a property."""
        return self.counted >= CORPUS and bool(self.counts) and self.counts.get(property_id, 0) < SUPPORT


def filter_statements(
    item: WikiItem, statements: Iterable[WikiStatement], filters: StatementFilters = StatementFilters()
) -> tuple[WikiStatement, ...]:
    """Set the reasons of an item's statements: the names of the filters that refuse each; the order is kept.

    A value that is repeated in another unit, or with nearly the same number, is kept only once.
    """
    judged = [replace(statement, reasons=tuple(_reasons(item, statement, filters))) for statement in statements]
    kept_of: dict[str, list[WikiStatement]] = defaultdict(list)
    for row in judged:
        if row.kept:
            kept_of[row.property_id].append(row)
    twice = {id_ for rows in kept_of.values() for id_ in _repeats(rows)}
    return tuple(replace(row, reasons=(*row.reasons, REPEATED)) if row.id in twice else row for row in judged)


REPEATED = "repeated value"


def _reasons(item: WikiItem, statement: WikiStatement, filters: StatementFilters) -> Iterator[str]:
    yield from property_reasons(statement.relation, statement.datatype)
    refused = {
        "deprecated rank": statement.rank == "deprecated",
        "not the best rank": statement.rank != "deprecated" and not statement.best,
        "ended or of a part": not statement.current,
        "no value": statement.kind == "none",
        "unknown value": statement.kind == "unknown",
        "protected attribute": _is_protected(item, statement),
        "few items": filters.is_rare(statement.property_id),
        "value is a Wikimedia page": _is_page(statement, filters),
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
        reasons.append(_DATATYPES.get(datatype, "other datatype"))
    if datatype == "string" and _names_a_code(label):
        reasons.append("label of an identifier")
    return (*reasons, *(name for name, words in _ABOUT_PAGES if words.search(label)))


_SAYABLE = {"wikibase-item", "quantity", "time", "globe-coordinate", "monolingualtext", "string"}
_DATATYPES = {
    "external-id": "identifier datatype",
    "url": "link datatype",
    **dict.fromkeys(("commonsMedia", "localMedia", "geo-shape", "tabular-data"), "media datatype"),
    **dict.fromkeys(("math", "musical-notation"), "notation datatype"),
    **dict.fromkeys(
        ("wikibase-property", "wikibase-lexeme", "wikibase-form", "wikibase-sense", "entity-schema"),
        "Wikibase datatype",
    ),
}
_IDENTIFIERS = re.compile(r"\b(?:ID|identifier|number|code|username|URL|website)s?\b", re.IGNORECASE)
# Things that people know by their number.
_NUMBERED = re.compile(r"\b(?:draft pick|edition|episode|road|route|season|shirt|sport|squad) number\b", re.IGNORECASE)
_CODES = re.compile(
    r"\b(?:abbreviation|callsign|call sign|citation|classification|database|designator|editions?|expression|genomic"
    r"|hashtag|headings?|hex|index|key|mark|notation|page|pattern|reference|registration|roman(?:is|iz)ation|slug"
    r"|spelling|string|tag|transcription|transliteration|unicode)\b",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"\b(?!NATO)\w*[A-Z]\w*[A-Z]\w*\b|\b[A-Z]\d")


def _names_a_code(label: str) -> bool:
    if _NUMBERED.search(label):
        return False
    return any(words.search(label) for words in (_IDENTIFIERS, _CODES, _ACRONYM))


_ABOUT_PAGES = (
    (
        "Wikimedia page",
        re.compile(
            r"\b(?:Commons|Wiki[mp]edia|Wikidata|Wikinews|Wikisource|Wikivoyage|Wikibase|template|portal|namespace)\b"
            r"|\b(?:category|categories) (?:for|of|combines|contains|populates|related)|(?:of topic|topic's)\b"
            r"|\blist of (?:works|monuments|episodes|characters)\b|\b(?:is a|has) list\b|'s main (?:topic|category)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "speaks of the entry",
        re.compile(
            r"\bdescribed by\b|\bdifferent from\b|\bsaid to be the same\b|\bpermanent duplicated\b"
            r"|\bWikiProject\b|\bfocus list\b|\bsandbox\b|\bOBSOLETE\b|\bpropert(?:y|ies) (?:constraint|for this)"
            r"|\bconstraint\b|\bstated (?:as|in)\b|\bnamed as\b",
            re.IGNORECASE,
        ),
    ),
)
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


def _is_page(statement: WikiStatement, filters: StatementFilters) -> bool:
    if statement.kind != "item":
        return False
    return not WIKIMEDIA_KINDS.isdisjoint(filters.kinds.get(statement.target, ())) or bool(_PAGE.match(statement.text))


_WORD = re.compile(r"[^\W\d_]{3}")
_SIGNS = re.compile(r"\b(?:symbol|formula|number|class|type)\b", re.IGNORECASE)


def _value_reason(statement: WikiStatement) -> str:
    if statement.text:
        is_code = not _WORD.search(statement.text) and not _SIGNS.search(statement.relation)
        return "value is a code" if statement.datatype == "string" and is_code else ""
    if statement.kind in {"none", "unknown"}:
        return ""
    if statement.kind == "item":
        return "value without a label"
    if statement.kind == "quantity" and not statement.unit:
        return "unit without a label"
    return "text in another language" if statement.datatype == "monolingualtext" else "value without words"


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
    for statement in sorted(statements, key=lambda statement: not _is_metric(statement)):
        spoken = {statement.target, statement.text.casefold()} - {""}
        measure = tuple(_measure(statement))
        if spoken & words or any(_is_near(size, other) for size in measure for other in measures):
            yield statement.id
        words |= spoken
        measures += measure


def _is_metric(statement: WikiStatement) -> bool:
    unit = measured_units().get(statement.unit)
    return unit is not None and unit.metric


def _is_near(measure: tuple[str, float], other: tuple[str, float]) -> bool:
    (name, size), (other_name, other_size) = measure, other
    return name == other_name and abs(size - other_size) <= _NEAR * max(abs(size), abs(other_size))


def _measure(statement: WikiStatement) -> Iterator[tuple[str, float]]:
    if statement.kind != "quantity" or statement.unit == ONE or not statement.unit:
        return
    unit = measured_units().get(statement.unit, Unit(statement.unit, 1.0, 0.0, metric=False))
    yield unit.measure, float(json.loads(statement.raw)["amount"]) * unit.factor + unit.offset
