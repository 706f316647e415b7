"""Pictures of Wikipedia pages, read from rows of WIT or from a list of pages and items."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from kbe_graph.errors import DatasetError
from kbe_graph.files.http import is_loopback
from kbe_graph.files.opening import Bounds, first_bytes, first_line, text_lines
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.files.zip_archive import is_archive
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.attribution import in_language, names_a_language
from kbe_graph.wiki.commons import commons_address, file_of
from kbe_graph.wiki.page_name import LANGUAGE, PageName, check_language, clean_title, page_of

KINDS = ("image/jpeg", "image/png", "image/webp")
"""Picture types that every model accepts; drawings, animations and scans are left out."""

NOT_MAIN, NO_PICTURE, NO_PAGE = "not the main picture of its page", "no address of a picture", "no page of Wikipedia"

_COLUMNS = ("page_url", "image_url")
_MIMES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "djvu": "image/vnd.djvu",
}
_ITEM = re.compile(r"Q[1-9]\d*")
_ITEM_PAGE = re.compile(r"https?://(?:www\.|m\.)?wikidata\.org/(?:wiki|entity)/(?P<item>Q[1-9]\d*)")
_WIDE = Bounds(rows=1 << 40, cells=1 << 44)  # a part of WIT has millions of rows, read one at a time
_CAPTION, _CONTEXT = 2_000, 10_000  # maximum characters kept


class _Wanted(NamedTuple):
    """The selection of pictures to read; all others get a reason."""

    language: str
    page_languages: Collection[str]
    kinds: Collection[str]
    main_only: bool


def read_corpus(
    file: Path,
    *,
    main_only: bool = False,
    kinds: Collection[str] = KINDS,
    number: int | None = None,
    language: str = "en",
    page_languages: Collection[str] = (),
) -> Iterator[PagePicture]:
    """Yield the pictures of a file; those left out have a reason.

    The file is a table with the columns of WIT (TSV, CSV, JSONL, gzipped or not), or a text with one page per line: its
    address, its title in ``language``, or an item (Q275); such a page has no picture yet. Captions are in ``language``.
    ``page_languages`` restricts the languages of the pages (default: all); ``number`` limits the pictures without a
    reason. Raises DatasetError and InputError.
    """
    wanted = _Wanted(check_language(language), page_languages, kinds, main_only)
    pictures = _rows(file, wanted) if _is_table(file) else _entries(file, wanted.language)
    return pictures if number is None else _first_of(pictures, number)


def _first_of(pictures: Iterator[PagePicture], number: int) -> Iterator[PagePicture]:
    while number > 0 and (picture := next(pictures, None)):
        yield picture
        number -= not picture.reason


def _is_table(file: Path) -> bool:
    head = first_bytes(file)
    first = first_line(head)
    if not first:
        raise DatasetError(file, "is empty; give a file of WIT, or a list of pages")
    by_name = {".tsv", ".csv", ".jsonl", ".json", ".parquet"} & set(file.suffixes)
    by_content = head.startswith(b"PAR1") or is_archive(head) or "\t" in first or first.startswith(("{", "["))
    return bool(by_name or by_content or any(column in first for column in _COLUMNS))


# Rows of WIT


def _rows(file: Path, wanted: _Wanted) -> Iterator[PagePicture]:
    source = open_source(file, _WIDE)
    missing = [column for column in _COLUMNS if column not in source.fields]
    if missing:
        problem = f"no {missing[0]!r} column; found {quoted(source.fields)}; give a file with the columns of WIT"
        raise DatasetError(file, problem, line=1)
    return (_picture(record, wanted) for record in source.records())


def _picture(record: Record, wanted: _Wanted) -> PagePicture:
    page = _page(record)
    image = _secure(record.optional("image_url"))
    bare = PagePicture(
        id=picture_id(page, image),
        image=image,
        page=page.address if page.title else "",
        title=page.title,
        language=page.language,
        mime=record.optional("mime_type") or _mime(image),
        width=_size(record, "original_width"),
        height=_size(record, "original_height"),
        is_main=_is_true(record, "is_main_image"),
    )
    if wanted.page_languages and page.language not in wanted.page_languages:
        return replace(bare, reason=f"page language {page.language}")  # skips reading the texts of most WIT rows
    return replace(
        bare,
        caption=_caption(record, page.language, wanted.language),
        section=on_one_line(record.optional("section_title"), _CAPTION),
        context=_first(record, "context_section_description", "context_page_description"),
        reason=_reason(bare, wanted),
    )


def _page(record: Record) -> PageName:
    page = page_of(record.optional("page_url"))
    language = page.language or record.optional("language").lower()
    title = page.title or clean_title(record.optional("page_title"))
    return PageName(language if LANGUAGE.fullmatch(language) else "", title)


def _secure(address: str) -> str:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host:
        return ""
    return address if is_loopback(host) else parts._replace(scheme="https").geturl()


def _caption(record: Record, page_language: str, language: str) -> str:
    attribution = record.optional("caption_attribution_description")
    of_page = page_language == language
    texts = (
        *(record.optional(f"caption_{name}_description") for name in ("reference", "alt_text") if of_page),
        in_language(attribution, language),
        attribution if of_page and _is_unnamed(record, attribution) else "",
    )
    return next((line for text in texts if (line := on_one_line(text, _CAPTION))), "")


def _is_unnamed(record: Record, attribution: str) -> bool:
    return _is_true(record, "attribution_passes_lang_id") and not names_a_language(attribution)


def _first(record: Record, *fields: str) -> str:
    return next((line for field in fields if (line := on_one_line(record.optional(field), _CONTEXT))), "")


def _is_true(record: Record, field: str) -> bool:
    value = record.fields.get(field)
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "1"})


def _mime(address: str) -> str:
    return _MIMES.get(address.rpartition(".")[2].lower(), "")


def _size(record: Record, field: str) -> int:
    text = record.optional(field)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _reason(picture: PagePicture, wanted: _Wanted) -> str:
    if not picture.image:
        return NO_PICTURE
    if not picture.title or not picture.language:
        return NO_PAGE
    if picture.mime not in wanted.kinds:
        return f"picture type {picture.mime or 'unknown'}"
    return NOT_MAIN if wanted.main_only and not picture.is_main else ""


# Lists of pages and items


def _entries(file: Path, language: str) -> Iterator[PagePicture]:
    for number, text in text_lines(file):
        entry = text.strip()
        if entry and not entry.startswith("#"):
            yield _entry(file, number, entry, language)


def _entry(file: Path, line: int, entry: str, language: str) -> PagePicture:
    match = _ITEM_PAGE.match(entry)
    item = match["item"] if match else entry if _ITEM.fullmatch(entry) else ""
    if item:
        return PagePicture(f"{item}|", "", item=item, language=language)
    is_address = "://" in entry
    page = page_of(entry) if is_address else PageName(language, clean_title(entry))
    if not page.valid:
        kind = "no address of a page of Wikipedia" if is_address else "no title that a page can have"
        raise DatasetError(
            file, f"{entry[:200]!r} is {kind}; write 'https://en.wikipedia.org/wiki/Rome', 'Rome' or 'Q220'", line=line
        )
    return PagePicture(picture_id(page, ""), "", page=page.address, title=page.title, language=page.language)


def picture_id(page: PageName, image: str) -> str:
    """Return the id of a picture on a page."""
    return f"{page.language}:{page.title}|{file_of(image).name if image else ''}"


def with_file(picture: PagePicture, name: str) -> PagePicture:
    """Give an entry of a list its picture: the Commons file that its item names (P18)."""
    image = commons_address(name)
    mime = _mime(image)
    reason = picture.reason or ("" if mime in KINDS else f"picture type {mime or 'unknown'}")
    id_ = f"{picture.id.rpartition('|')[0]}|{file_of(image).name}"
    return replace(picture, id=id_, image=image, mime=mime, is_main=True, reason=reason)
