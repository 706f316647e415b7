"""Fact pack of what Wikidata states within a number of hops of a workspace's answers."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.english.property import category
from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import synset_of
from kbe_graph.errors import KbeWarning
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.facts.wikidata.statement_facts import (
    next_items,
    other_names,
    row_item,
    row_statement,
    statement_facts,
    statement_pack,
)
from kbe_graph.facts.wikidata.wikidata import ResultRow, Wikimedia, item_of, rows_about
from kbe_graph.files.resources import rows
from kbe_graph.text import fold

NOT_THERE, NO_KIND, SEVERAL, NO_TYPE = (
    "no item of this name",
    "no item of this kind",
    "several items",
    "no kind to check",
)
ITEM_PREFIX = "wd:"
"""The prefix of an item's concept: ``wd:Q144``."""
_CANDIDATES = 7
_FAMOUS = 4
# Kinds so general that a film and a cup share them.
_WIDE = frozenset(
    {
        *("abstraction", "artefact", "artifact", "attribute", "entity", "group", "matter", "object", "physical entity"),
        *("physical object", "product", "relation", "thing", "unit", "whole", "work", "causal agent", "event", "state"),
    }
)


class Mention(NamedTuple):
    """An answer to link: its concept or, if that is not a WordNet noun, its name and the noun asked for."""

    concept: str
    name: str = ""
    noun: str = ""


def mention_of(question: str, name: str, concept: str) -> Mention:
    """Build the mention of a question's answer, with only the fields used for linking."""
    return Mention(concept) if synset_of(concept) else Mention(concept, name, read(question).asks_for)


class Meaning(NamedTuple):
    """The terms to search for: names, and groups of acceptable kinds in order of preference."""

    names: tuple[str, ...]
    kinds: tuple[frozenset[str], ...]


class ItemLink(NamedTuple):
    """The item of an answer (Q144), or an empty string and the reason for abstaining."""

    item: str
    reason: str = ""


def link(wikidata: Wikimedia, mentions: Iterable[Mention]) -> Mapping[Mention, ItemLink]:
    """Link each answer to an item; raises SourceError.

    An answer with a concept is linked by the concept alone, so that all questions with that concept get the same item.
    A concept that is an item already (``wd:Q144``) is not searched for.
    """
    links: dict[Mention, ItemLink] = {}
    wanted: dict[Mention, Meaning] = {}
    for mention in mentions:
        if is_item(mention.concept):
            links[mention] = ItemLink(mention.concept.removeprefix(ITEM_PREFIX))
        elif (sought := meaning(mention)).kinds:
            wanted[mention] = sought
        else:
            links[mention] = ItemLink("", NO_TYPE)
    names = (form for sought in wanted.values() for name in sought.names for form in forms(name))
    bearers = rows_about(wikidata, "find", names)
    candidates = {mention: _candidates(sought, bearers) for mention, sought in wanted.items()}
    rows_of = rows_about(wikidata, "kinds", (item for among in candidates.values() for item in among))
    kinds = {item: frozenset(fold(row.values["name"]) for row in rows) for item, rows in rows_of.items()}
    return links | {mention: _choice(sought, candidates[mention], kinds) for mention, sought in wanted.items()}


def is_item(concept: str) -> bool:
    """Return True if a concept is a Wikidata item: ``wd:Q144``."""
    return concept.startswith(ITEM_PREFIX)


def meaning(mention: Mention) -> Meaning:
    """Return the terms to search for: a concept's lemmas and hypernyms, or else the answer and the noun asked for."""
    synset = synset_of(mention.concept)
    if synset is not None:
        above = [frozenset(map(fold, wordnet().synset(kind).lemmas)) - _WIDE for kind in wordnet().hypernyms(synset.id)]
        return Meaning(synset.lemmas, (*(names for names in above if names), _files().get(synset.lexname, frozenset())))
    noun = mention.noun
    names = {fold(noun)} | {fold(lemma) for synset in category(noun)[:1] for lemma in synset.lemmas} if noun else set()
    return Meaning((mention.name,), (frozenset(names) - _WIDE - {""},) if names - _WIDE else ())


def forms(name: str) -> tuple[str, ...]:
    """Return the spellings that a label may have: unchanged, lower case, first letter or all words capitalised.

    >>> forms("labrador retriever")
    ('labrador retriever', 'Labrador retriever', 'Labrador Retriever')
    """
    low = name.lower().strip()
    title = " ".join(word[:1].upper() + word[1:] for word in low.split())
    return tuple(form for form in dict.fromkeys((name.strip(), low, low[:1].upper() + low[1:], title)) if form)


def _candidates(sought: Meaning, bearers: Mapping[str, tuple[ResultRow, ...]]) -> dict[str, ResultRow]:
    """Return the best known items of the names, each with its row: one by its label if there is one."""
    by_item: dict[str, ResultRow] = {}
    for row in (row for name in sought.names for form in forms(name) for row in bearers[form]):
        name = item_of(row.values["item"])
        if name not in by_item or row.values["match"] == "label":
            by_item[name] = row
    best = sorted(by_item, key=lambda item: (-_sitelinks(by_item[item]), item))[:_CANDIDATES]
    return {item: by_item[item] for item in best}


def _sitelinks(row: ResultRow) -> int:
    return int(float(row.values.get("sitelinks", "0")))


def _choice(sought: Meaning, candidates: Mapping[str, ResultRow], kinds: Mapping[str, frozenset[str]]) -> ItemLink:
    if not candidates:
        return ItemLink("", NOT_THERE)
    ranks = {item: _rank(sought, kinds[item]) for item in candidates}
    best = min(ranks.values())
    if best == len(sought.kinds):
        return ItemLink("", NO_KIND)
    fitting = [item for item in candidates if ranks[item] == best]
    fitting = [item for item in fitting if candidates[item].values["match"] == "label"] or fitting
    first, *others = (_sitelinks(candidates[item]) for item in fitting)
    if others and first < _FAMOUS * max(others[0], 1):
        return ItemLink("", SEVERAL)
    return ItemLink(fitting[0])


def _rank(sought: Meaning, kinds: frozenset[str]) -> int:
    return next((place for place, names in enumerate(sought.kinds) if names & kinds), len(sought.kinds))


@cache
def _files() -> Mapping[str, frozenset[str]]:
    """Return the Wikidata kinds that match each WordNet lexicographer file."""
    file = files("kbe_graph.facts.wikidata").joinpath("kinds.tsv")
    return {name: frozenset(map(fold, kinds.split("|"))) for _, (name, kinds) in rows(file, ("lexname", "kinds"))}


MOST = 5_000
"""Maximum number of items to query at each hop after the first: about 200 queries for facts."""


class Closure(NamedTuple):
    """The facts about a set of answers.

    ``concepts`` maps the question id of each answer to its concept, or to its item (``wd:Q179``) if WordNet has none;
    empty if it was not linked. ``abstained`` counts those by reason.
    """

    pack: Pack
    concepts: Mapping[str, str]
    abstained: Mapping[str, int]


def closure(
    wikidata: Wikimedia,
    mentions: Mapping[str, Mention],
    *,
    hops: int,
    further: Iterable[str] = (),
) -> Closure:
    """Link the answers, given by question id, and build the pack of facts up to ``hops`` from them.

    ``further`` are additional concepts to link: those that other facts lead to. Raises SourceError.
    """
    links = link(wikidata, (*mentions.values(), *map(Mention, further)))
    concepts: dict[Mention, str] = {}
    ids: dict[str, set[str]] = defaultdict(set)
    for mention, (linked, _) in links.items():
        concepts[mention] = (mention.concept or f"{ITEM_PREFIX}{linked}") if linked else ""
        if linked:
            ids[linked].add(concepts[mention])
    abstained = Counter(links[mention].reason for mention in mentions.values() if not links[mention].item)
    questions = {question: concepts[mention] for question, mention in mentions.items()}
    return Closure(wikidata_pack(wikidata, ids, hops=hops), questions, dict(sorted(abstained.items())))


def wikidata_pack(wikidata: Wikimedia, ids: Mapping[str, Iterable[str]], *, hops: int, most: int = MOST) -> Pack:
    """Build the pack of items' facts, ``hops`` facts deep; raises SourceError.

    ``ids`` maps items to the concepts (``wn30:02084071-n``) that are subjects of their facts, in addition to the items'
    own ids. An item with exactly one concept is also replaced by it as an object, so that chains continue from there.
    After the first hop at most ``most`` items are queried per hop, with a warning if there are more.
    """
    rows = _rows_within(wikidata, ids, hops, most)
    labels: dict[str, str] = {}
    names: dict[str, tuple[str, ...]] = {}
    for about, named in rows_about(wikidata, "names", {*rows, *_leads(rows)}).items():
        own = sorted((row.values["language"], row.values["name"]) for row in named if row.values["match"] == "label")
        labels[about] = own[0][1] if own else ""
        names[about] = tuple(row.values["name"] for row in named)
    items = [row_item(about, own, labels[about], names[about]) for about, own in rows.items()]
    others = {about: other_names(labels[about], named) for about, named in names.items()}
    statements = (row_statement(row) for own in rows.values() for row in own)
    return statement_pack(items, statements, others, ids=ids)


def _rows_within(
    wikidata: Wikimedia, ids: Mapping[str, Iterable[str]], hops: int, most: int
) -> dict[str, tuple[ResultRow, ...]]:
    rows: dict[str, tuple[ResultRow, ...]] = {}
    items = list(ids)
    for hop in range(1, hops + 1):
        new = rows_about(wikidata, "facts", items, without=protected())
        rows |= new
        leads = _leads(new)
        items = sorted(leads.keys() - rows.keys(), key=lambda item: (-leads[item], int(item[1:])))
        if hop < hops and len(items) > most:
            problem = f"{len(items)} items lead on to hop {hop + 1}; only the {most} that the most facts lead to"
            warnings.warn(f"{problem} are looked up, and chains end at the rest", KbeWarning, stacklevel=4)
        del items[most:]
    return rows


def _leads(rows_of: Mapping[str, Sequence[ResultRow]]) -> Counter[str]:
    facts = (statement_facts(row_item(about, rows), map(row_statement, rows)) for about, rows in rows_of.items())
    return Counter(item for about in facts for item in next_items(about))
