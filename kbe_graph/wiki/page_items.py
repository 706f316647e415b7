"""Lookup of the Wikidata items of Wikipedia pages, through the Action API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import unquote

from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.mediawiki import ActionQuery, MediaWiki
from kbe_graph.wiki.page_name import PageName

NOT_THERE, NO_TITLE, NO_ITEM = "no such page", "no title that a page can have", "page without an item"
AMBIGUOUS, SECTION, NO_ARTICLE = "disambiguation page", "redirect to a section", "no article"

_PARAMETERS = {"prop": "pageprops", "ppprop": "wikibase_item|disambiguation", "redirects": "1"}


class PageItem(NamedTuple):
    """The item of a page, empty with a reason; ``title`` is the page's final title after redirects."""

    item: str
    title: str = ""
    reason: str = ""


def items_of_pages(wiki: MediaWiki, pages: Iterable[PageName]) -> Mapping[PageName, PageItem]:
    """Look up the item of each page in its Wikipedia, following redirects and normalised titles; raises SourceError."""
    unique = tuple(dict.fromkeys(pages))
    items = {page: PageItem("", page.title, NO_TITLE) for page in unique if not page.valid}
    for language in dict.fromkeys(page.language for page in unique if page.valid):
        titles = [page.title for page in unique if page.language == language and page.valid]
        query = ActionQuery(language, "items", _PARAMETERS)
        for answer in wiki.answers(query, titles):
            titles_of_answer = PageTitles(answer.parts)
            items |= {PageName(language, title): titles_of_answer.item(title) for title in answer.subjects}
    return {page: items[page] for page in unique}


class PageTitles:
    """The pages of a reply by title, with its redirects and normalised titles."""

    def __init__(self, parts: Sequence[Mapping[str, Any]]) -> None:
        queries = [part.get("query", {}) for part in parts]
        self._steps = {
            (unquote(step["from"]) if step.get("fromencoded") else step["from"]): step
            for query in queries
            for step in (*query.get("normalized", ()), *query.get("redirects", ()))
        }
        self._pages: dict[str, dict[str, Any]] = {}
        for query in queries:
            for page in query.get("pages", ()):
                self._pages.setdefault(page["title"], {}).update(page)

    def target(self, title: str) -> tuple[str, bool]:
        """Follow a title to its target; also returns True if a redirect leads to a section."""
        is_section = False
        for _ in range(len(self._steps)):
            if title not in self._steps:
                break
            step = self._steps[title]
            title, is_section = step["to"], is_section or bool(step.get("tofragment"))
        return title, is_section

    def page(self, title: str) -> Mapping[str, Any]:
        """Return the page that a title leads to, empty if the reply has none."""
        return self._pages.get(self.target(title)[0], {})

    def item(self, title: str) -> PageItem:
        """Return the item of the page that a title leads to."""
        target, is_section = self.target(title)
        page = self.page(title)
        props = page.get("pageprops") or {}
        reason = SECTION if is_section and props else _reason(page, props)
        return PageItem("" if reason else props["wikibase_item"], target, reason)


def _reason(page: Mapping[str, Any], props: Mapping[str, str]) -> str:
    if not page or page.get("missing"):
        return NOT_THERE
    if page.get("invalid"):
        return NO_TITLE
    if page.get("ns"):
        return NO_ARTICLE
    if "disambiguation" in props:
        return AMBIGUOUS
    return "" if props.get("wikibase_item") else NO_ITEM


def with_items(pictures: Iterable[PagePicture], items: Mapping[PageName, PageItem]) -> Iterator[PagePicture]:
    """Yield pictures with the item of their page, or the reason why it has none."""
    for picture in pictures:
        page_item = items.get(PageName(picture.language, picture.title))
        if picture.item or page_item is None:
            yield picture
        else:
            yield replace(picture, item=page_item.item, reason=picture.reason or page_item.reason)
