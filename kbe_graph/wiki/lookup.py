"""What Wikimedia knows of pages and files: a page's item, and a picture's author and licence."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import unquote

from kbe_graph.text import on_one_line
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.mediawiki import ActionQuery, MediaWiki
from kbe_graph.wiki.page_name import PageName, file_of

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
                pages.setdefault(page.get("title", ""), {}).update(page)
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
    names = {picture.id: PageName(picture.language, picture.title) for picture in pictures if not picture.item}
    pages: dict[PageName, _Page] = {}
    for language in dict.fromkeys(name.language for name in names.values() if name.valid):
        titles = [name.title for name in names.values() if name.valid and name.language == language]
        for title, page in _pages(wiki, ActionQuery(language, "items", _ITEMS), titles):
            pages[PageName(language, title)] = page
    for picture in pictures:
        if picture.id not in names:
            yield picture
            continue
        found = pages.get(names[picture.id])
        reason = _reason(found) if found else NO_TITLE
        item = found.values["pageprops"]["wikibase_item"] if found and not reason else ""
        yield replace(picture, item=item, reason=picture.reason or reason)


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
