"""Fact pack of what Wikidata states within a number of hops of a workspace's answers."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import KbeWarning
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.linking import Mention, link
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.facts.wikidata.statement_facts import (
    next_items,
    other_names,
    row_item,
    row_statement,
    statement_facts,
    statement_pack,
)
from kbe_graph.facts.wikidata.wikidata import ResultRow, Wikidata

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
    wikidata: Wikidata,
    mentions: Mapping[str, Mention],
    *,
    hops: int,
    further: Iterable[str] = (),
) -> Closure:
    """Link the answers, given by question id, and build the pack of facts up to ``hops`` from them.

    ``further`` are additional concepts to link: those that other facts lead to. Raises SourceError.
    """
    links = link(wikidata, (*mentions.values(), *map(Mention, further)))
    concepts = {
        mention: (mention.concept or f"wd:{item_link.item}") if item_link.item else ""
        for mention, item_link in links.items()
    }
    ids: dict[str, set[str]] = {}
    for mention, item_link in links.items():
        if item_link.item:
            ids.setdefault(item_link.item, set()).add(concepts[mention])
    abstained = Counter(links[mention].reason for mention in mentions.values() if not links[mention].item)
    questions = {question: concepts[mention] for question, mention in mentions.items()}
    return Closure(wikidata_pack(wikidata, ids, hops=hops), questions, dict(sorted(abstained.items())))


def wikidata_pack(wikidata: Wikidata, ids: Mapping[str, Iterable[str]], *, hops: int, most: int = MOST) -> Pack:
    """Build the pack of items' facts, ``hops`` facts deep; raises SourceError.

    ``ids`` maps items to the concepts (``wn30:02084071-n``) that are subjects of their facts, in addition to the items'
    own ids. An item with exactly one concept is also replaced by it as an object, so that chains continue from there.
    After the first hop at most ``most`` items are queried per hop, with a warning if there are more.
    """
    rows = _rows_within(wikidata, ids, hops, most)
    names_of = wikidata.names({*rows, *_leads(rows)})
    items = [row_item(about, own, _label(names_of[about]), _names(names_of[about])) for about, own in rows.items()]
    names = {about: other_names(_label(named), _names(named)) for about, named in names_of.items()}
    statements = (row_statement(row) for own in rows.values() for row in own)
    return statement_pack(items, statements, names, ids=ids)


def _rows_within(
    wikidata: Wikidata, ids: Mapping[str, Iterable[str]], hops: int, most: int
) -> dict[str, tuple[ResultRow, ...]]:
    rows: dict[str, tuple[ResultRow, ...]] = {}
    items = list(ids)
    for hop in range(1, hops + 1):
        new = wikidata.facts(items, protected())
        rows |= new
        leads = _leads(new)
        items = sorted(leads.keys() - rows.keys(), key=lambda item: (-leads[item], _number(item)))
        if hop < hops and len(items) > most:
            _warn_cut(len(items), hop + 1, most)
        del items[most:]
    return rows


def _warn_cut(items: int, hop: int, most: int) -> None:
    warnings.warn(
        f"{items} items lead on to hop {hop}; only the {most} that the most facts lead to are looked up, "
        "and chains end at the rest",
        KbeWarning,
        stacklevel=5,
    )


def _leads(rows_of: Mapping[str, Sequence[ResultRow]]) -> Counter[str]:
    facts = (statement_facts(row_item(about, rows), map(row_statement, rows)) for about, rows in rows_of.items())
    return Counter(item for about in facts for item in next_items(about))


def _number(item: str) -> int:
    return int(item[1:])


def _label(rows: Sequence[ResultRow]) -> str:
    labels = sorted((row.values["language"], row.values["name"]) for row in rows if row.values["match"] == "label")
    return labels[0][1] if labels else ""


def _names(rows: Iterable[ResultRow]) -> tuple[str, ...]:
    return tuple(row.values["name"] for row in rows)
