"""What Wikidata counts of the kinds that questions name: how many of their things have a property, with which value."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kbe_graph.errors import KbeWarning, SourceError
from kbe_graph.facts.pack import KindCount
from kbe_graph.facts.wikidata import rules
from kbe_graph.facts.wikidata.archive import ResultRow
from kbe_graph.facts.wikidata.linking import Mention, link
from kbe_graph.facts.wikidata.properties import protected
from kbe_graph.facts.wikidata.wikidata import Wikidata


def kind_counts(
    wikidata: Wikidata, kinds: Iterable[str], same: Mapping[str, str] = MappingProxyType({})
) -> Mapping[tuple[str, str], KindCount]:
    """Return the counts of each kind (``wn30:02084071-n``) and relation, by one query a kind.

    ``same`` gives the concepts that items stand for as objects of facts (``wd:Q144``).
    Kinds that Wikidata has no item for are left out, and so are those that it cannot count: very wide ones take longer
    than an endpoint allows. A warning tells of these. Raises SourceError where kinds cannot be looked for.
    """
    links = link(wikidata, map(Mention, sorted(kinds)))
    counts: dict[tuple[str, str], KindCount] = {}
    for kind, item in ((mention.concept, item_link.item) for mention, item_link in links.items()):
        try:
            rows = wikidata.others([item], protected())[item] if item else ()
        except SourceError as error:
            _warn(item, error)
        else:
            counts |= {(kind, relation): count for relation, count in of_relations(rows, same).items()}
    return counts


def of_relations(rows: Iterable[ResultRow], same: Mapping[str, str]) -> Mapping[str, KindCount]:
    """Return the counts that rows of others.rq tell, by relation."""
    things = 0
    objects: dict[str, Counter[str]] = {}
    for row in rows:
        number = int(float(row.values["things"]))
        if "property" not in row.values:
            things = number
        elif (relation := rules.relation(row)) is not None:
            objects.setdefault(relation.name, Counter())[_object(row, same)] += number
    return {name: KindCount(things, counter.total(), counter) for name, counter in objects.items()}


def _object(row: ResultRow, same: Mapping[str, str]) -> str:
    object_id = rules.object_id(row)
    return same.get(object_id, object_id)


def _warn(item: str, error: SourceError) -> None:
    warnings.warn(
        f"the things of {item!r} could not be counted, so 'image not needed' judges them by the facts at hand: {error}",
        KbeWarning,
        stacklevel=4,
    )
