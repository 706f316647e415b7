"""The Action API of Wikimedia's wikis: pages' items, and pictures' rights."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

from kbe_graph.errors import SourceError
from kbe_graph.facts.wikidata.wikidata import WikidataSettings, Wikimedia, read_json
from kbe_graph.files.http import WebError, WebReply, asked_wait
from kbe_graph.text import on_one_line
from kbe_graph.types import PagePicture
from kbe_graph.wiki.corpus import COMMONS, PageName, WikiFile, check_language, file_of

WIKIDATA = "wikidata"
WIKIMEDIA = "https://www.wikimedia.org"
"""The endpoint that stands for all of Wikimedia."""

_BATCH = 50  # maximum titles or ids per request
_PARTS = 500  # maximum continuations of one request
_ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}
_BUSY = frozenset({"maxlag", "ratelimited"})
_FAULTS = ("internal_api_error", "readonly", "timeout", "cirrussearch-too-busy")


def address_of(settings: WikidataSettings, wiki: str) -> str:
    """Return the Action API address of ``wikidata``, ``commons``, or the Wikipedia in a language.

    The settings' endpoint is ``WIKIMEDIA``, or a server in its place with the paths ``/wikidata``, ``/commons`` and
    ``/wikipedia/LANGUAGE``.
    """
    hosts = {WIKIDATA: "www.wikidata.org", COMMONS: "commons.wikimedia.org"}
    host = hosts.get(wiki) or f"{check_language(wiki)}.wikipedia.org"
    if settings.endpoint == WIKIMEDIA:
        return f"https://{host}/w/api.php"
    return f"{settings.endpoint.rstrip('/')}/{wiki if wiki in hosts else f'wikipedia/{wiki}'}"


class ActionQuery(NamedTuple):
    """A query about subjects: the wiki, a name, the parameters, and the parameter that holds the subjects."""

    wiki: str
    name: str
    parameters: Mapping[str, str]
    subjects: str = "titles"

    @property
    def key(self) -> str:
        """The archive's key for the replies, which changes with the parameters."""
        return f"{self.name} {sha256(urlencode(sorted(self.parameters.items())).encode()).hexdigest()[:16]}"


class ActionAnswer(NamedTuple):
    """The reply about some subjects, in one or more parts, and the day on which it was fetched."""

    subjects: Sequence[str]
    parts: Sequence[Mapping[str, Any]]
    fetched: str


def answers(wikimedia: Wikimedia, query: ActionQuery, subjects: Iterable[str]) -> Iterator[ActionAnswer]:
    """Yield the replies about ``subjects``; raises SourceError."""
    address = address_of(wikimedia.settings, query.wiki)

    def ask(batch: Sequence[str]) -> tuple[str, str]:
        form = {"action": "query", **_ALWAYS, **query.parameters, query.subjects: "|".join(batch)}
        return urlencode(form), f"[{','.join(_parts(wikimedia, address, form))}]"

    for answer in wikimedia.answers(address, query.key, subjects, ask, size=_BATCH):
        yield ActionAnswer(answer.subjects, json.loads(answer.body), answer.fetched[:10])


def _parts(wikimedia: Wikimedia, address: str, form: Mapping[str, str]) -> Iterator[str]:
    more: Mapping[str, str] = {}
    for _ in range(_PARTS):
        body = wikimedia.web.text(address, {**form, **more}, _check_answer)
        yield body
        more = json.loads(body).get("continue")
        if not more:
            return
    raise SourceError(f"{address!r}: an answer has more than {_PARTS} parts; request less at once")


def _check_answer(reply: WebReply) -> None:
    match read_json(reply):
        case {"error": dict(error)}:
            raise _refusal(error, reply.headers)
        case {"query": dict()} | {"entities": dict()}:
            return
        case dict():
            raise WebError("answered with neither pages nor entities", again=True)
    raise WebError("did not answer with an object, so it is not an Action API")


def _refusal(error: Mapping[str, Any], headers: Mapping[str, str]) -> WebError:
    code, info = str(error.get("code", "no code")), str(error.get("info", ""))[:300]
    is_busy = code in _BUSY
    wait = asked_wait(headers) if is_busy else None
    return WebError(f"refused ({code}: {info})", 200, wait=wait, busy=is_busy, again=code.startswith(_FAULTS))


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


def _pages(wiki: Wikimedia, query: ActionQuery, titles: Iterable[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the page that each title leads to, empty if there is none; ``section`` tells of a redirect to a section."""
    for answer in answers(wiki, query, titles):
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
                if target in steps:
                    is_section |= bool(steps[target].get("tofragment"))
                    target = steps[target]["to"]
            yield title, {**pages.get(target, {}), "section": is_section}


def with_items(wiki: Wikimedia, pictures: Sequence[PagePicture]) -> Iterator[PagePicture]:
    """Yield pictures with the item of their page in its Wikipedia, or the reason why it has none.

    Redirects and normalised titles are followed. Raises SourceError.
    """
    names = {picture.id: PageName(picture.language, picture.title) for picture in pictures if not picture.item}
    pages: dict[PageName, Mapping[str, Any]] = {}
    for language in dict.fromkeys(name.language for name in names.values() if name.valid):
        titles = [name.title for name in names.values() if name.valid and name.language == language]
        own = _pages(wiki, ActionQuery(language, "items", _ITEMS), titles)
        pages |= {PageName(language, title): page for title, page in own}
    for picture in pictures:
        if picture.id in names:
            page = pages.get(names[picture.id], {"invalid": True})
            reason = _reason(page)
            item = "" if reason else page["pageprops"]["wikibase_item"]
            yield replace(picture, item=item, reason=picture.reason or reason)
        else:
            yield picture


def _reason(page: Mapping[str, Any]) -> str:
    props = page.get("pageprops") or {}
    reasons = {
        SECTION: page.get("section") and props,
        NO_TITLE: page.get("invalid"),
        NOT_THERE: page.get("missing") or "title" not in page,
        NO_ARTICLE: page.get("ns"),
        AMBIGUOUS: "disambiguation" in props,
        NO_ITEM: not props.get("wikibase_item"),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def with_rights(wiki: Wikimedia, pictures: Sequence[PagePicture]) -> Iterator[PagePicture]:
    """Yield pictures with author, licence and the address where they are served, or with the reason ``GONE``.

    The file's page is on the wiki of the picture's address. Raises SourceError.
    """
    files = {picture.id: file_of(picture.image) for picture in pictures}
    pages: dict[WikiFile, Mapping[str, Any]] = {}
    for name in dict.fromkeys(file.wiki for file in files.values()):
        titles = [f"File:{file.name}" for file in files.values() if file.wiki == name and file.valid]
        for title, page in _pages(wiki, ActionQuery(name, "rights", _RIGHTS), titles):
            pages[WikiFile(name, title.removeprefix("File:"))] = page
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
