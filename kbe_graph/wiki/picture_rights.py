"""Author and licence of pictures, from their file pages on Commons or a Wikipedia."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any, NamedTuple

from kbe_graph.text import on_one_line
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.commons import WikiFile, file_of, served_width
from kbe_graph.wiki.mediawiki import ActionQuery, MediaWiki
from kbe_graph.wiki.page_items import PageTitles

GONE = "picture is gone"
_AUTHOR = 500  # maximum characters kept
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_UNSEEN = frozenset({"script", "style"})


class PictureRights(NamedTuple):
    """A picture's author and licence, and the ``address`` where it is served in the requested width.

    ``width``, ``height`` and ``mime`` are those of the original. ``reason`` explains why these are missing.
    """

    author: str = ""
    licence: str = ""
    licence_url: str = ""
    address: str = ""
    width: int = 0
    height: int = 0
    mime: str = ""
    reason: str = ""


def picture_rights(wiki: MediaWiki, addresses: Iterable[str], *, width: int = 960) -> Mapping[str, PictureRights]:
    """Look up the rights of pictures by address, each on the wiki of its address; raises SourceError.

    ``width`` is the wanted width, rounded to the nearest served one; narrower pictures are not enlarged.
    """
    files = {address: file_of(address) for address in dict.fromkeys(addresses)}
    rights: dict[WikiFile, PictureRights] = {}
    for name in dict.fromkeys(file.wiki for file in files.values()):
        titles = [f"File:{file.name}" for file in files.values() if file.wiki == name and file.name]
        for answer in wiki.answers(ActionQuery(name, "rights", _parameters(width)), titles):
            pages = PageTitles(answer.parts)
            rights |= {
                WikiFile(name, title.removeprefix("File:")): _rights(pages.page(title), width)
                for title in answer.subjects
            }
    return {address: rights.get(file, PictureRights(reason=GONE)) for address, file in files.items()}


def with_rights(pictures: Iterable[PagePicture], rights: Mapping[str, PictureRights]) -> Iterator[PagePicture]:
    """Yield pictures with their author, licence, and served address."""
    for picture in pictures:
        own = rights.get(picture.image)
        yield _with_own(picture, own) if own else picture


def _with_own(picture: PagePicture, own: PictureRights) -> PagePicture:
    return replace(
        picture,
        image=own.address or picture.image,
        mime=own.mime or picture.mime,
        width=own.width or picture.width,
        height=own.height or picture.height,
        author=own.author,
        licence=own.licence,
        licence_url=own.licence_url,
        reason=picture.reason or own.reason,
    )


def plain_text(html: str) -> str:
    """Return the visible text of an HTML fragment on one line.

    >>> plain_text('<a href="/x">Ann</a><span style="display: none">QS:P1</span> &amp; Bob')
    'Ann & Bob'
    """
    parser = _ShownText()
    parser.feed(html)
    parser.close()
    return on_one_line("".join(parser.texts), _AUTHOR)


def _parameters(width: int) -> Mapping[str, str]:
    return {
        "prop": "imageinfo",
        "iiprop": "extmetadata|url|size|mime",
        "iiextmetadatafilter": "Artist|Attribution|LicenseShortName|LicenseUrl",
        "iiextmetadatalanguage": "en",
        "iiurlwidth": str(served_width(width)),
        "redirects": "1",
    }


def _rights(page: Mapping[str, Any], width: int) -> PictureRights:
    infos: Sequence[Mapping[str, Any]] = page.get("imageinfo") or ()
    if not infos or "filemissing" in infos[0]:
        return PictureRights(reason=GONE)
    info = infos[0]
    data = info.get("extmetadata") or {}  # PHP writes an empty mapping as a list
    texts = {name: plain_text(str(value.get("value", ""))) for name, value in data.items()}
    address = texts.get("LicenseUrl", "")
    is_wide = int(info.get("width", 0)) > served_width(width)
    return PictureRights(
        author=texts.get("Artist", "") or texts.get("Attribution", ""),
        licence=texts.get("LicenseShortName", ""),
        licence_url=f"https:{address}" if address.startswith("//") else address,
        address=str((info.get("thumburl") if is_wide else "") or info.get("url", "")),
        width=int(info.get("width", 0)),
        height=int(info.get("height", 0)),
        mime=str(info.get("mime", "")),
    )


class _ShownText(HTMLParser):
    """Parser for the visible text of HTML, without style sheets, scripts and ``display: none``."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts.append(" " if tag in {"br", "p", "div", "td", "li"} else "")
        if tag not in _VOID:
            style = (dict(attrs).get("style") or "").replace(" ", "").lower()
            self._hidden.append(self._is_hidden() or tag in _UNSEEN or "display:none" in style)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag not in _VOID:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self._is_hidden():
            self.texts.append(data)

    def _is_hidden(self) -> bool:
        return bool(self._hidden and self._hidden[-1])
