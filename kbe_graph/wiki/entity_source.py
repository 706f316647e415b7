"""Entities of Wikidata and their labels, fetched through the Action API."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.facts.wikidata.entity import english_label
from kbe_graph.wiki.mediawiki import WIKIDATA, ActionQuery, MediaWiki
from kbe_graph.wiki.page_name import check_language

_ID = re.compile(r"[PQ][1-9]\d{0,9}")
_HIGHEST = 2**31 - 1  # highest number of an id; a higher one would fail the whole request
_WHOLE = "info|labels|descriptions|aliases|claims|sitelinks"


class FetchedEntity(NamedTuple):
    """An entity of Wikidata, None if deleted; if it was merged, its ``id`` differs from the one ``asked``.

    ``source`` is the address that replied, ``fetched`` the day.
    """

    asked: str
    entity: Mapping[str, Any] | None
    source: str
    fetched: str


def entities(wiki: MediaWiki, ids: Iterable[str], language: str = "en") -> Iterator[FetchedEntity]:
    """Yield the entities of ``ids`` (Q275, P18), with terms in a language or its fallbacks.

    Raises InputError for an invalid id, and SourceError.
    """
    yield from _entities(wiki, ActionQuery(WIKIDATA, "entities", _parameters(_WHOLE, language), "ids"), ids)


def labels(wiki: MediaWiki, ids: Iterable[str], language: str = "en") -> Mapping[str, str]:
    """Return the labels of ``ids`` in a language or its fallbacks, without those that have none.

    Raises InputError for an invalid id, and SourceError.
    """
    query = ActionQuery(WIKIDATA, "labels", _parameters("labels", language), "ids")
    texts = {
        answer.asked: english_label(answer.entity or {}, language=language) for answer in _entities(wiki, query, ids)
    }
    return {id_: text for id_, text in texts.items() if text}


def _parameters(props: str, language: str) -> Mapping[str, str]:
    return {
        "action": "wbgetentities",
        "props": props,
        "languages": check_language(language),
        "languagefallback": "1",
        "redirects": "yes",
    }


def _entities(wiki: MediaWiki, query: ActionQuery, ids: Iterable[str]) -> Iterator[FetchedEntity]:
    for answer in wiki.answers(query, map(_checked_id, ids)):
        by_id = {id_: entity for part in answer.parts for id_, entity in part.get("entities", {}).items()}
        for asked in answer.subjects:
            entity = by_id.get(asked)
            is_gone = entity is None or "missing" in entity
            yield FetchedEntity(asked, None if is_gone else entity, answer.address, answer.fetched[:10])


def _checked_id(id_: str) -> str:
    if not _ID.fullmatch(id_) or int(id_[1:]) > _HIGHEST:
        raise InputError(f"{id_!r} is not a Wikidata id; items look like 'Q144', properties like 'P36'")
    return id_
