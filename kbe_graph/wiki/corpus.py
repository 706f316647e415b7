"""Pictures of Wikipedia pages, read from rows of WIT or from a list of pages and items."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from kbe_graph.errors import DatasetError
from kbe_graph.files.http import is_loopback
from kbe_graph.files.opening import first_bytes, first_line, is_archive, text_lines
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.page_name import LANGUAGE, PageName, check_language, clean_title, commons_address, file_of, page_of

KINDS = ("image/jpeg", "image/png", "image/webp")
"""Picture types that every model accepts; drawings, animations and scans are left out."""
NOT_MAIN, NO_PICTURE, NO_PAGE = "not the main picture of its page", "no address of a picture", "no page of Wikipedia"

_COLUMNS = ("page_url", "image_url")
_ITEM = re.compile(r"(Q[1-9]\d*)$|https?://(?:www\.|m\.)?wikidata\.org/(?:wiki|entity)/(Q[1-9]\d*)")
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
        mime=record.optional("mime_type") or _mime(image),
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
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host:
        return ""
    return address if is_loopback(host) else parts._replace(scheme="https").geturl()


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


def _mime(address: str) -> str:
    ending = address.rpartition(".")[2].lower()
    return f"image/{'jpeg' if ending == 'jpg' else ending}" if ending.isalnum() else ""


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
            item = match[1] or match[2]
            yield PagePicture(f"{item}|", "", item=item, language=language)
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
    mime = _mime(image)
    reason = "" if mime in KINDS else f"picture type {mime or 'unknown'}" if image else NO_PICTURE
    return replace(picture, image=image, mime=mime, is_main=True, reason=picture.reason or reason)
