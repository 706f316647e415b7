"""Client for the Action API of Wikimedia's wikis, every reply archived: pages' items, and pictures' rights."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from html import unescape
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

from kbe_graph.errors import SourceError
from kbe_graph.facts.wikidata.wikidata import Archive, WikidataSettings
from kbe_graph.files.http import WebClient, WebError, WebReply, asked_wait
from kbe_graph.text import on_one_line
from kbe_graph.types import Progress
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.corpus import COMMONS, PageName, check_language, file_of

WIKIDATA = "wikidata"
WIKIMEDIA = "https://www.wikimedia.org"
"""The endpoint that stands for all of Wikimedia."""
BATCH = 50
"""Maximum titles or ids per request."""

_CHUNK = 500
_PARTS = 500  # maximum continuations of one request
_ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}
_BUSY = frozenset({"maxlag", "ratelimited"})
_FAULTS = ("internal_api_error", "readonly", "timeout", "cirrussearch-too-busy")
# Lets Wikimedia reply from the nearest data centre: the request is a POST but writes nothing.
_HEADERS = {"accept": "application/json", "Promise-Non-Write-API-Action": "true"}


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
    """The reply about some subjects, in one or more parts, with its address and time."""

    subjects: Sequence[str]
    parts: Sequence[Mapping[str, Any]]
    address: str
    fetched: str


class MediaWiki:
    """Client that requests whatever the archive does not hold yet, one request at a time."""

    def __init__(
        self,
        archive: Archive,
        settings: WikidataSettings,
        progress: Progress = lambda *_: None,
        *,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.archive, self.settings, self.progress = archive, settings, progress
        self._client = WebClient(settings.web, service=True, headers=_HEADERS, sleep=sleep)

    def answers(self, query: ActionQuery, subjects: Iterable[str]) -> Iterator[ActionAnswer]:
        """Yield the replies about ``subjects``, in their order; raises SourceError.

        Each reply is archived at once, so an interrupted run requests nothing twice.
        """
        unique = tuple(dict.fromkeys(subjects))
        address = address_of(self.settings, query.wiki)
        ask, offline = partial(self._ask, address, query), self.settings.offline
        for start in range(0, len(unique), _CHUNK):
            chunk = unique[start : start + _CHUNK]
            hashes = self.archive.complete(address, query.key, chunk, ask, size=BATCH, offline=offline)
            for name, about in groupby(chunk, key=hashes.__getitem__):
                fetched, body = self.archive.answer(address, name)
                yield ActionAnswer(tuple(about), json.loads(body), address, fetched)
            self.progress(f"wikimedia {query.name}", start + len(chunk), len(unique))

    def _ask(self, address: str, query: ActionQuery, batch: Sequence[str]) -> tuple[str, str]:
        form = {"action": "query", **_ALWAYS, **query.parameters, query.subjects: "|".join(batch)}
        return urlencode(form), f"[{','.join(self._parts(address, form))}]"

    def _parts(self, address: str, form: Mapping[str, str]) -> Iterator[str]:
        more: Mapping[str, str] = {}
        for _ in range(_PARTS):
            body = self._client.text(address, {**form, **more}, _check_answer)
            yield body
            more = json.loads(body).get("continue")
            if not more:
                return
        raise SourceError(f"{address!r}: an answer has more than {_PARTS} parts; request less at once")


def _check_answer(reply: WebReply) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if "json" not in kind:
        raise WebError(f"answered {kind!r}, which is not an answer of the Action API; check the address")
    try:
        answer = json.loads(reply.content)
    except (ValueError, RecursionError):
        raise WebError("sent an incomplete answer, or one that is not JSON", again=True) from None
    if not isinstance(answer, dict):
        raise WebError("did not answer with an object, so it is not an Action API")
    if error := answer.get("error"):
        raise _refusal(error, reply.headers)
    if not isinstance(answer.get("query") or answer.get("entities"), dict):
        raise WebError("answered with neither pages nor entities", again=True)


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
        own = _pages(wiki, ActionQuery(language, "items", _ITEMS), titles)
        pages |= {PageName(language, title): page for title, page in own}
    for picture in pictures:
        if picture.id not in names:
            yield picture
            continue
        page = pages.get(names[picture.id])
        reason = _reason(page) if page else NO_TITLE
        item = page.values["pageprops"]["wikibase_item"] if page and not reason else ""
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
