"""What Wikimedia knows of pages, files and entities: a page's item, a picture's author and licence, an entity."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote

from kbe_graph.errors import InputError
from kbe_graph.facts.wikidata.entity import english_label
from kbe_graph.text import on_one_line
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.mediawiki import WIKIDATA, ActionQuery, MediaWiki
from kbe_graph.wiki.page_name import PageName, check_language, file_of

NOT_THERE, NO_TITLE, NO_ITEM = "no such page", "no title that a page can have", "page without an item"
AMBIGUOUS, SECTION, NO_ARTICLE = "disambiguation page", "redirect to a section", "no article"
GONE = "picture is gone"
WIDTH = 960
"""The width in which a wider picture is fetched; one of those that Wikimedia has served since 2026."""

_ITEMS = {"prop": "pageprops", "ppprop": "wikibase_item|disambiguation", "redirects": "1"}
_RIGHTS = {
    "prop": "imageinfo",
    "iiprop": "extmetadata|url|size|mime",
    "iiextmetadatafilter": "Artist|Attribution|LicenseShortName|LicenseUrl",
    "iiextmetadatalanguage": "en",
    "iiurlwidth": str(WIDTH),
    "redirects": "1",
}
_WHOLE = "info|labels|descriptions|aliases|claims|sitelinks"
_LABELS = 200_000  # remembered at once, some 20 MB
_ID = re.compile(r"[PQ][1-9]\d{0,9}")
_HIGHEST = 2**31 - 1  # highest number of an id; a higher one would fail the whole request


class _Page(NamedTuple):
    """The page that a title leads to, empty if there is none, and whether a redirect leads to a section of it."""

    values: Mapping[str, Any]
    is_section: bool


def _pages(wiki: MediaWiki, query: ActionQuery, titles: Iterable[str]) -> Iterator[tuple[str, _Page]]:
    for answer in wiki.answers(query, titles):
        steps: dict[str, Mapping[str, Any]] = {}
        pages: dict[str, dict[str, Any]] = {}
        for result in (part.get("query", {}) for part in answer.parts):
            for step in (*result.get("normalized", ()), *result.get("redirects", ())):
                steps[unquote(step["from"]) if step.get("fromencoded") else step["from"]] = step
            for page in result.get("pages", ()):
                pages.setdefault(page["title"], {}).update(page)
        for title in answer.subjects:
            target, is_section = title, False
            for _ in range(len(steps)):
                if step_ := steps.get(target):
                    target, is_section = step_["to"], is_section or bool(step_.get("tofragment"))
            yield title, _Page(pages.get(target, {}), is_section)


def with_items(wiki: MediaWiki, pictures: Sequence[PagePicture]) -> Iterator[PagePicture]:
    """Yield pictures with the item of their page in its Wikipedia, or the reason why it has none.

    Redirects and normalised titles are followed. Raises SourceError.
    """
    titles: dict[str, dict[str, None]] = {}
    for name in (_page_of(picture) for picture in pictures if not picture.item):
        if name.valid:
            titles.setdefault(name.language, {})[name.title] = None
    pages = {
        PageName(language, title): page
        for language, own in titles.items()
        for title, page in _pages(wiki, ActionQuery(language, "items", _ITEMS), own)
    }
    for picture in pictures:
        if picture.item:
            yield picture
        elif (page := pages.get(_page_of(picture))) is None:
            yield replace(picture, reason=picture.reason or NO_TITLE)
        else:
            reason = _reason(page)
            item = "" if reason else page.values["pageprops"]["wikibase_item"]
            yield replace(picture, item=item, reason=picture.reason or reason)


def _page_of(picture: PagePicture) -> PageName:
    return PageName(picture.language, picture.title)


def _reason(page: _Page) -> str:
    props = page.values.get("pageprops") or {}
    if page.is_section and props:
        return SECTION
    if not page.values or page.values.get("missing"):
        return NOT_THERE
    if page.values.get("invalid"):
        return NO_TITLE
    if page.values.get("ns"):
        return NO_ARTICLE
    if "disambiguation" in props:
        return AMBIGUOUS
    return "" if props.get("wikibase_item") else NO_ITEM


def with_rights(wiki: MediaWiki, pictures: Sequence[PagePicture]) -> Iterator[PagePicture]:
    """Yield pictures with author, licence and the address where they are served, or with the reason ``GONE``.

    The file's page is on the wiki of the picture's address. Raises SourceError.
    """
    files = {picture.id: file_of(picture.image) for picture in pictures}
    pages: dict[tuple[str, str], Mapping[str, Any]] = {}
    for name in dict.fromkeys(file.wiki for file in files.values()):
        titles = [f"File:{file.name}" for file in files.values() if file.wiki == name and file.name]
        for title, page in _pages(wiki, ActionQuery(name, "rights", _RIGHTS), titles):
            pages[name, title.removeprefix("File:")] = page.values
    yield from (_credited(picture, pages.get(files[picture.id], {})) for picture in pictures)


def _credited(picture: PagePicture, page: Mapping[str, Any]) -> PagePicture:
    infos: Sequence[Mapping[str, Any]] = page.get("imageinfo") or ()
    if not infos or "filemissing" in infos[0]:
        return replace(picture, reason=picture.reason or GONE)
    info = infos[0]
    data = info.get("extmetadata") or {}  # PHP writes an empty mapping as a list
    texts = {name: plain_text(str(value.get("value", ""))) for name, value in data.items()}
    address = texts.get("LicenseUrl", "")
    width = int(info.get("width", 0))
    return replace(
        picture,
        image=str((info.get("thumburl") if width > WIDTH else "") or info.get("url", "")) or picture.image,
        mime=str(info.get("mime", "")) or picture.mime,
        width=width or picture.width,
        height=int(info.get("height", 0)) or picture.height,
        author=texts.get("Artist", "") or texts.get("Attribution", ""),
        licence=texts.get("LicenseShortName", ""),
        licence_url=f"https:{address}" if address.startswith("//") else address,
    )


def plain_text(html: str) -> str:
    """Return the visible text of an HTML fragment on one line.

    >>> plain_text('<a href="/x">Ann</a><span style="display: none">QS:P1</span> &amp; Bob')
    'Ann & Bob'
    """
    hidden = r"<(script|style)\b.*?</\1\s*>|<(\w+)[^>]*display:\s*none[^>]*>.*?</\2\s*>"
    shown = re.sub(hidden, "", html, flags=re.DOTALL | re.IGNORECASE)
    spaced = re.sub(r"<(?:br|p|div|td|li)\b[^>]*>", " ", shown, flags=re.IGNORECASE)
    return on_one_line(unescape(re.sub(r"<[^>]*>", "", spaced)), 500)


class FetchedEntity(NamedTuple):
    """An entity of Wikidata, None if deleted; if it was merged, its ``id`` differs from the one ``asked``.

    ``source`` is the address or file that replied, ``fetched`` the day.
    """

    asked: str
    entity: Mapping[str, Any] | None
    source: str
    fetched: str


class EntitySource(Protocol):
    """A source of entities and labels: Wikidata itself, or a dump."""

    def prepare(self, ids: Sequence[str]) -> None:
        """Get ready for ``ids`` and the labels of all that they name."""

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        """Yield the entities of ``ids``."""

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ``ids``, without those that have none."""


@dataclass(frozen=True, slots=True)
class WikidataEntities:
    """Entities and labels of Wikidata through the Action API, with terms in a language or its fallbacks.

    Raises InputError for an invalid id, and SourceError.
    """

    wiki: MediaWiki
    language: str = "en"
    _texts: dict[str, str] = field(default_factory=dict)

    def prepare(self, ids: Sequence[str]) -> None:
        """Do nothing: each batch is asked for in its turn."""

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        """Yield the entities of ``ids`` (Q275, P18)."""
        yield from self._fetched("entities", _WHOLE, ids)

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ``ids``, without those that have none."""
        wanted = list(ids)
        if len(self._texts) > _LABELS:
            self._texts.clear()
        for each in self._fetched("labels", "labels", [id_ for id_ in wanted if id_ not in self._texts]):
            self._texts[each.asked] = english_label(each.entity or {}, language=self.language)
        return {id_: self._texts[id_] for id_ in wanted if self._texts[id_]}

    def _fetched(self, name: str, props: str, ids: Iterable[str]) -> Iterator[FetchedEntity]:
        parameters = {
            "action": "wbgetentities",
            "props": props,
            "languages": check_language(self.language),
            "languagefallback": "1",
            "redirects": "yes",
        }
        for answer in self.wiki.answers(ActionQuery(WIKIDATA, name, parameters, "ids"), map(_checked_id, ids)):
            by_id = {id_: entity for part in answer.parts for id_, entity in part.get("entities", {}).items()}
            for asked in answer.subjects:
                entity = by_id.get(asked)
                is_gone = entity is None or "missing" in entity
                yield FetchedEntity(asked, None if is_gone else entity, answer.address, answer.fetched[:10])


def _checked_id(id_: str) -> str:
    if not _ID.fullmatch(id_) or int(id_[1:]) > _HIGHEST:
        raise InputError(f"{id_!r} is not a Wikidata id; items look like 'Q144', properties like 'P36'")
    return id_
