"""Names of Wikipedia pages and of files on Commons and the Wikipedias, and their addresses."""

import re
from hashlib import md5
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from kbe_graph.errors import InputError
from kbe_graph.text import on_one_line

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


class WikiFile(NamedTuple):
    """A file of a wiki (``commons``, ``en``) by its name, with underscores for spaces."""

    wiki: str
    name: str


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
