"""A fact pack of all that Wikidata says, within some hops, of the answers of a workspace."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.knowledge.pack import Pack
from kbe_graph.knowledge.relation import Relation
from kbe_graph.knowledge.wikidata import rules
from kbe_graph.knowledge.wikidata.archive import Row
from kbe_graph.knowledge.wikidata.linking import Answer, Linked, link
from kbe_graph.knowledge.wikidata.properties import allowed, properties
from kbe_graph.knowledge.wikidata.wikidata import Wikidata
from kbe_graph.text import fold
from kbe_graph.types import Fact


class Closure(NamedTuple):
    """What was found for a set of answers.

    ``concepts`` gives the concept of each answer by its question's id: its own, or the item (``wd:Q179``) where WordNet has
    none; empty for an abstention, which ``abstained`` counts by reason.
    """

    pack: Pack
    concepts: Mapping[str, str]
    abstained: Mapping[str, int]


def closure(wikidata: Wikidata, answers: Mapping[str, Answer], *, hops: int) -> Closure:
    """Link the answers, by their questions' ids, and return the pack of their facts, up to ``hops`` of them in a row.

    Raises SourceError.
    """
    linked = link(wikidata, answers.values())
    concepts = {answer: answer.concept or _concept(one) for answer, one in linked.items()}
    ids: dict[str, set[str]] = {}
    for answer, one in linked.items():
        if one.item:
            ids.setdefault(one.item, set()).add(concepts[answer])
    abstained = Counter(linked[one].reason for one in answers.values() if not linked[one].item)
    return Closure(
        wikidata_pack(wikidata, ids, hops=hops),
        {question: concepts[answer] for question, answer in answers.items()},
        dict(sorted(abstained.items())),
    )


def wikidata_pack(wikidata: Wikidata, ids: Mapping[str, Iterable[str]], *, hops: int) -> Pack:
    """Return the pack of what is said of items, and of what that leads to, ``hops`` facts deep; raises SourceError.

    ``ids`` gives the concepts (``wn30:02084071-n``) that the facts of an item are told of, besides the item's own id.
    """
    found = _reached(wikidata, ids, hops)
    named = wikidata.names({*found, *_objects(found)})
    facts = tuple(
        fact
        for about in sorted(found, key=_number)
        for concept in sorted({*ids.get(about, ()), f"wd:{about}"})
        for fact in rules.facts(concept, _label(named[about]) or about, about, found[about])
    )
    names = {f"wd:{about}": aliases for about in named if (aliases := _aliases(named[about]))}
    return Pack(tuple(_with_aliases(facts, names)), _relations(), names)


def _reached(wikidata: Wikidata, ids: Mapping[str, Iterable[str]], hops: int) -> dict[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = {}
    wave = set(ids)
    for _ in range(hops):
        told = wikidata.facts(wave, allowed())
        found |= told
        facts = {about: rules.facts(f"wd:{about}", about, about, rows) for about, rows in told.items()}
        wave = {there for some in facts.values() for there in rules.followed(some)} - set(found)
    return found


def _objects(found: Mapping[str, tuple[Row, ...]]) -> set[str]:
    facts = (fact for about, rows in found.items() for fact in rules.facts(f"wd:{about}", about, about, rows))
    return {name for fact in facts if "/" not in (name := fact.object_id.removeprefix("wd:"))}


def _with_aliases(facts: Iterable[Fact], names: Mapping[str, tuple[str, ...]]) -> Iterable[Fact]:
    return (replace(fact, aliases=names.get(fact.object_id, ())) for fact in facts)


def _relations() -> Mapping[str, Relation]:
    return {relation.name: relation for relation in properties().values()}


def _concept(linked: Linked) -> str:
    return f"wd:{linked.item}" if linked.item else ""


def _number(item: str) -> int:
    return int(item[1:])


def _label(rows: Sequence[Row]) -> str:
    found = sorted((row.values["language"], row.values["name"]) for row in rows if row.values["match"] == "label")
    return found[0][1] if found else ""


def _aliases(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the aliases that say something: no codes of two letters, no flags, none that is the label again."""
    seen = {fold(_label(rows)): ""}
    for name in sorted(row.values["name"] for row in rows):
        if sum(letter.isalnum() for letter in name) > 2:
            seen.setdefault(fold(name), name)
    return tuple(name for name in seen.values() if name)
