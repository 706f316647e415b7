"""Pictures of Wikipedia pages, read from rows of WIT or from a list; names and addresses of pages and files."""

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import md5
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.http import host_of, is_loopback
from kbe_graph.files.opening import first_bytes, first_line, text_lines
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types.wiki import PagePicture

COMMONS = "commons"
LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z0-9]+)*")
_HOST = re.compile(r"(?P<language>[a-z0-9-]+)(?:\.m)?\.wikipedia\.org")
_FORBIDDEN = re.compile(r"[<>\[\]{}|#\x00-\x1f\x7f\ufffd]")
_LONGEST = 255  # maximum bytes of a title
_UNQUOTED = "!$()*,/:;@~"  # as in the addresses of MediaWiki and the sitelinks of Wikidata
_UPLOAD = "https://upload.wikimedia.org/wikipedia"
_FILE = re.compile(r".*/wikipedia/(?P<wiki>[a-z-]+)/(?:thumb/)?[0-9a-f]/[0-9a-f]{2}/(?P<name>[^/]+)(?:/[^/]+)?")


class PageName(NamedTuple):
    """A page of the Wikipedia in a language, by its title with spaces."""

    language: str
    title: str

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"https://{self.language}.wikipedia.org/wiki/{quote(self.title.replace(' ', '_'), safe=_UNQUOTED)}"

    @property
    def valid(self) -> bool:
        """Whether a page may have this title."""
        return _may_be_title(self.title)


def _may_be_title(text: str) -> bool:
    return bool(text) and not _FORBIDDEN.search(text) and len(text.encode()) <= _LONGEST


def page_of(address: str) -> PageName:
    """Parse the page of an address, with both parts empty if it is not on a Wikipedia.

    >>> page_of("http://de.m.wikipedia.org/wiki/S%C3%A4ge_(Werkzeug)#Arten")
    PageName(language='de', title='Säge (Werkzeug)')
    """
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return PageName("", "")
    host = _HOST.fullmatch((parts.hostname or "").lower())
    if host is None or parts.scheme not in {"http", "https"}:
        return PageName("", "")
    short = unquote(parts.path.removeprefix("/wiki/")) if parts.path.startswith("/wiki/") else ""
    title = short or parse_qs(parts.query).get("title", [""])[0]
    return PageName(host["language"], clean_title(title))


def clean_title(title: str) -> str:
    """Return a stripped title with spaces instead of underscores."""
    return on_one_line(title.replace("_", " "))


def check_language(language: str) -> str:
    """Return the language code of a Wikipedia; raises InputError if invalid."""
    if not LANGUAGE.fullmatch(language):
        raise InputError(f"the language is {language!r}; write the code that its Wikipedia has, such as 'en'")
    return language


class WikiFile(NamedTuple):
    """A file of a wiki (``commons``, ``en``) by its name, with underscores for spaces."""

    wiki: str
    name: str

    @property
    def valid(self) -> bool:
        """Whether a file may have this name."""
        return _may_be_title(self.name)


def commons_name(name: str) -> str:
    """Normalise a file name to the form used in addresses: initial capital, underscores, no namespace.

    >>> commons_name("File:bb-forthrailbridge.jpg")
    'Bb-forthrailbridge.jpg'
    """
    bare = re.sub(r"^(?:file|image):", "", name.strip(), flags=re.IGNORECASE)
    bare = "_".join(bare.replace("_", " ").split())
    return bare[:1].upper() + bare[1:]


def commons_address(name: str) -> str:
    """Return the address of a file on Commons, whose folders are derived from its name; empty if the name is blank.

    >>> commons_address("Bb-forthrailbridge.jpg")
    'https://upload.wikimedia.org/wikipedia/commons/4/4f/Bb-forthrailbridge.jpg'
    """
    plain = commons_name(name)
    if not plain:
        return ""
    digest = md5(plain.encode(), usedforsecurity=False).hexdigest()
    return f"{_UPLOAD}/{COMMONS}/{digest[0]}/{digest[:2]}/{quote(plain, safe='')}"


def file_of(address: str) -> WikiFile:
    """Return the file at an address, or the original of a thumbnail; the name is empty if the address has none.

    >>> file_of("https://upload.wikimedia.org/wikipedia/commons/thumb/4/4f/Bb.jpg/330px-Bb.jpg")
    WikiFile(wiki='commons', name='Bb.jpg')
    """
    path = urlsplit(address).path
    match = _FILE.fullmatch(path)
    name = match["name"] if match else path.rpartition("/")[2]
    return WikiFile(match["wiki"] if match else COMMONS, commons_name(unquote(name)))


KINDS = ("image/jpeg", "image/png", "image/webp")
"""Picture types that every model accepts; drawings, animations and scans are left out."""
NOT_MAIN, NO_PICTURE, NO_PAGE = "not the main picture of its page", "no address of a picture", "no page of Wikipedia"

_COLUMNS = ("page_url", "image_url")
_ITEM = re.compile(r"(?:https?://(?:www\.|m\.)?wikidata\.org/(?:wiki|entity)/)?(Q[1-9]\d*)(?:[?#].*)?$")
_MOST_ROWS = 1 << 40  # a part of WIT has millions of rows, read one at a time
_CAPTION, _CONTEXT = 2_000, 10_000  # maximum characters kept


def read_corpus(
    file: Path, *, main_only: bool = False, number: int | None = None, language: str = "en"
) -> Iterator[PagePicture]:
    """Yield the pictures of a file; those left out have a reason.

    The file is a table with the columns of WIT (TSV, CSV, JSONL, gzipped or not), or a text with one page per line: its
    address, its title in ``language``, or an item (Q275); such a page has no picture yet. Captions are in ``language``.
    ``number`` limits the pictures without a reason. Raises DatasetError and InputError.
    """
    check_language(language)
    pictures = _rows(file, language, main_only=main_only) if _is_table(file) else _entries(file, language)
    for picture in pictures:
        yield picture
        number = number and number - (not picture.reason)
        if number == 0:
            return


def _is_table(file: Path) -> bool:
    first = first_line(first_bytes(file))
    if not first:
        raise DatasetError(file, "is empty; give a file of WIT, or a list of pages")
    if not {".tsv", ".csv", ".jsonl", ".json", ".parquet"}.isdisjoint(file.suffixes):
        return True
    return "\t" in first or first.startswith(("{", "[")) or any(column in first for column in _COLUMNS)


def _rows(file: Path, language: str, *, main_only: bool) -> Iterator[PagePicture]:
    source = open_source(file, _MOST_ROWS)
    missing = [column for column in _COLUMNS if column not in source.fields]
    if missing:
        problem = f"no {missing[0]!r} column; found {quoted(source.fields)}; give a file with the columns of WIT"
        raise DatasetError(file, problem, line=1)
    return (_picture(record, language, main_only=main_only) for record in source.records())


def _picture(record: Record, language: str, *, main_only: bool) -> PagePicture:
    page = _page(record)
    image = _secure(record.optional("image_url"))
    picture = PagePicture(
        id=picture_id(page, image),
        image=image,
        caption=_caption(record, page.language, language),
        page=page.address if page.title else "",
        title=page.title,
        language=page.language,
        section=on_one_line(record.optional("section_title"), _CAPTION),
        context=_first(record, _CONTEXT, "context_section_description", "context_page_description"),
        mime=record.optional("mime_type") or guess_type(image, strict=False)[0] or "",
        width=_size(record, "original_width"),
        height=_size(record, "original_height"),
        is_main=_is_true(record, "is_main_image"),
    )
    return replace(picture, reason=_reason(picture, main_only=main_only))


def _page(record: Record) -> PageName:
    page = page_of(record.optional("page_url"))
    language = page.language or record.optional("language").lower()
    title = page.title or clean_title(record.optional("page_title"))
    return PageName(language if LANGUAGE.fullmatch(language) else "", title)


def _secure(address: str) -> str:
    host = host_of(address)
    if not host or not address.startswith(("http://", "https://")):
        return ""
    return address if is_loopback(host) else re.sub("^http:", "https:", address)


def _caption(record: Record, page_language: str, language: str) -> str:
    """Return the caption on the page, or the file's attribution if that is known to be in the page's language."""
    if page_language != language:
        return ""
    fields = ["caption_reference_description", "caption_alt_text_description"]
    if _is_true(record, "attribution_passes_lang_id"):
        fields.append("caption_attribution_description")
    return re.sub(r"^English\s?: ", "", _first(record, _CAPTION, *fields))


def _first(record: Record, most: int, *fields: str) -> str:
    return next((line for field in fields if (line := on_one_line(record.optional(field), most))), "")


def _is_true(record: Record, field: str) -> bool:
    value = record.fields.get(field)
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "1"})


def _size(record: Record, field: str) -> int:
    text = record.optional(field)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _reason(picture: PagePicture, *, main_only: bool) -> str:
    if not picture.image:
        return NO_PICTURE
    if not picture.title or not picture.language:
        return NO_PAGE
    if picture.mime not in KINDS:
        return f"picture type {picture.mime or 'unknown'}"
    return NOT_MAIN if main_only and not picture.is_main else ""


def _entries(file: Path, language: str) -> Iterator[PagePicture]:
    for line, text in text_lines(file):
        entry = text.strip()
        if not entry or entry.startswith("#"):
            continue
        if match := _ITEM.match(entry):
            yield PagePicture(f"{match[1]}|", "", item=match[1], language=language)
            continue
        page = page_of(entry) if "://" in entry else PageName(language, clean_title(entry))
        if not page.valid:
            kind = "no address of a page of Wikipedia" if "://" in entry else "no title that a page can have"
            problem = f"{entry[:200]!r} is {kind}; write 'https://en.wikipedia.org/wiki/Rome', 'Rome' or 'Q220'"
            raise DatasetError(file, problem, line=line)
        yield PagePicture(picture_id(page, ""), "", page=page.address, title=page.title, language=page.language)


def picture_id(page: PageName, image: str) -> str:
    """Return the id of a picture on a page."""
    return f"{page.language}:{page.title}|{file_of(image).name if image else ''}"


def with_file(picture: PagePicture, name: str) -> PagePicture:
    """Give an entry of a list its picture: the Commons file that its item names (P18), if it names one."""
    image = commons_address(name)
    mime = guess_type(image, strict=False)[0] or ""
    reason = "" if mime in KINDS else f"picture type {mime or 'unknown'}" if image else NO_PICTURE
    return replace(picture, image=image, mime=mime, is_main=True, reason=picture.reason or reason)
