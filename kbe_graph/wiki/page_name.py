"""Names of Wikipedia pages: language and title, and their addresses."""

import re
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kbe_graph.errors import InputError
from kbe_graph.text import on_one_line

LANGUAGE = re.compile(r"[a-z]{2,}(?:-[a-z0-9]+)*")
_HOST = re.compile(r"(?P<language>[a-z0-9-]+)(?:\.m)?\.wikipedia\.org")
_FORBIDDEN = re.compile(r"[<>\[\]{}|#\x00-\x1f\x7f\ufffd]")
_LONGEST = 255  # maximum bytes of a title
_UNQUOTED = "!$()*,/:;@~"  # as in the addresses of MediaWiki and the sitelinks of Wikidata


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
        return bool(self.title) and not _FORBIDDEN.search(self.title) and len(self.title.encode()) <= _LONGEST


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
