"""Statement filters; the reasons of a statement are the names of the filters that refuse it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.wikidata.repeats import repeats
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.question import read
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
    """Options of the statement filters.

    ``paper_filters``: refuse any label with an identifier word, whatever the datatype, as WikiVQABench does.
    ``strict``: refuse protected attributes for all items, not only for people.
    ``min_support``: the number of items that a property needs; by default 10 if ``counted`` is at least 10,000 or
    ``paper_filters`` is set, otherwise 0.
    ``counts``: the number of items with each property, out of ``counted``; if empty, support is not checked.
    ``kinds``: what values are instances of, by item, if known.
    """

    paper_filters: bool = False
    strict: bool = False
    min_support: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    counted: int = 0
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def support(self) -> int:
        """The number of items that a property needs; 0 if nothing was counted."""
        default = SUPPORT if self.paper_filters or self.counted >= CORPUS else 0
        needed = default if self.min_support is None else self.min_support
        return needed if self.counts else 0


def filter_statements(
    item: WikiItem, statements: Iterable[WikiStatement], filters: StatementFilters = StatementFilters()
) -> tuple[WikiStatement, ...]:
    """Set the reasons of an item's statements: the names of the filters that refuse each; the order is kept.

    A value that is repeated in another unit, or with nearly the same number, is kept only once.
    """
    judged = [replace(statement, reasons=tuple(_reasons(item, statement, filters))) for statement in statements]
    twice = {id_ for group in _by_property(judged) for id_ in repeats([row for row in group if row.kept])}
    return tuple(replace(row, reasons=(*row.reasons, REPEATED)) if row.id in twice else row for row in judged)


REPEATED = "repeated value"


def _by_property(statements: Sequence[WikiStatement]) -> Iterator[list[WikiStatement]]:
    ordered = sorted(statements, key=lambda statement: statement.property_id)
    yield from (list(group) for _, group in groupby(ordered, key=lambda statement: statement.property_id))


def _reasons(item: WikiItem, statement: WikiStatement, filters: StatementFilters) -> Iterator[str]:
    yield from property_reasons(statement.relation, statement.datatype, paper_filters=filters.paper_filters)
    for rule in _RULES:
        if rule.refuses(item, statement, filters):
            yield rule.name
    if reason := _value_reason(statement):
        yield reason
    elif _is_code(statement) and not filters.paper_filters:
        yield "value is a code"


@lru_cache(1 << 14)
def property_reasons(label: str, datatype: str, *, paper_filters: bool = False) -> tuple[str, ...]:
    """Return the filters that refuse a property, given its English label and datatype (``external-id``).

    >>> property_reasons("IMDb ID", "external-id"), property_reasons("number of spans", "quantity")
    (('identifier datatype',), ())
    >>> property_reasons("number of spans", "quantity", paper_filters=True)
    ('label of an identifier',)
    """
    reasons = [] if label else ["property without a label"]
    if paper_filters:
        return (*reasons, *(["label of an identifier"] if _PAPER.search(label) else []))
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
_PAPER = re.compile(r"\b(?:ID|identifier|number|code|username|URL|website)s?\b", re.IGNORECASE)
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
    return any(words.search(label) for words in (_PAPER, _CODES, _ACRONYM))


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


def _is_protected(item: WikiItem, statement: WikiStatement, filters: StatementFilters) -> bool:
    if not (item.human or filters.strict):
        return False
    label = statement.relation
    return statement.property_id in protected() or bool(read(label).protected or _ATTRIBUTES.search(label))


_ATTRIBUTES = re.compile(
    r"\b(?:ancestry|baptis(?:m|ed)|canoni[sz]ation|citizenship|disability|ethnic\w*|gender|marriage|married|religio(?:n|us)"
    r"|sex|sexual|worship|dates? of (?:birth|burial|death))\b|\bage (?:at|of)\b|^age$"
)


def _is_rare(statement: WikiStatement, filters: StatementFilters) -> bool:
    return filters.counts.get(statement.property_id, 0) < filters.support


def _is_page(statement: WikiStatement, filters: StatementFilters) -> bool:
    if statement.kind != "item":
        return False
    return not WIKIMEDIA_KINDS.isdisjoint(filters.kinds.get(statement.target, ())) or bool(_PAGE.match(statement.text))


class _Rule(NamedTuple):
    """A statement filter: its name, and a test that is true if it refuses the statement."""

    name: str
    refuses: Callable[[WikiItem, WikiStatement, StatementFilters], bool]


_RULES = (
    _Rule("deprecated rank", lambda _, statement, __: statement.rank == "deprecated"),
    _Rule("not the best rank", lambda _, statement, __: statement.rank != "deprecated" and not statement.best),
    _Rule("ended or of a part", lambda _, statement, __: not statement.current),
    _Rule("no value", lambda _, statement, __: statement.kind == "none"),
    _Rule("unknown value", lambda _, statement, __: statement.kind == "unknown"),
    _Rule("protected attribute", _is_protected),
    _Rule("few items", lambda _, statement, filters: _is_rare(statement, filters)),
    _Rule("value is a Wikimedia page", lambda _, statement, filters: _is_page(statement, filters)),
    _Rule("value is the item itself", lambda item, statement, _: statement.target == item.id != ""),
)


def _value_reason(statement: WikiStatement) -> str:
    if statement.text or statement.kind in {"none", "unknown"}:
        return ""
    if statement.kind == "item":
        return "value without a label"
    if statement.kind == "quantity" and not statement.unit:
        return "unit without a label"
    return "text in another language" if statement.datatype == "monolingualtext" else "value without words"


_WORD = re.compile(r"[^\W\d_]{3}")
_SIGNS = re.compile(r"\b(?:symbol|formula|number|class|type)\b", re.IGNORECASE)


def _is_code(statement: WikiStatement) -> bool:
    written = statement.datatype == "string" and statement.text
    return bool(written and not _WORD.search(statement.text) and not _SIGNS.search(statement.relation))


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
