"""Files of Wikimedia Commons and the Wikipedias: names, addresses and thumbnails."""

import re
from hashlib import md5
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from kbe_graph.errors import InputError

COMMONS = "commons"
THUMBNAIL_WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""Widths that Wikimedia has served since 2026; others are refused (mediawiki.org, "Common thumbnail sizes")."""

_UPLOAD = "https://upload.wikimedia.org/wikipedia"
_ORIGINAL = re.compile(r"(?P<root>.*/wikipedia/(?P<wiki>[a-z-]+))/(?P<folder>[0-9a-f]/[0-9a-f]{2})/(?P<name>[^/]+)")
_THUMBNAIL = re.compile(r"(.*/wikipedia/[a-z-]+)/thumb(/[0-9a-f]/[0-9a-f]{2}/[^/]+)/[^/]+")
# Thumbnails of scans and drawings have another type, whose extension is appended.
_ENDINGS = {"svg": ("", ".png"), "xcf": ("", ".png"), "tif": ("lossy-page1-", ".jpg"), "tiff": ("lossy-page1-", ".jpg")}


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
    """Return the address of a file on Commons, whose folders are derived from its name.

    >>> commons_address("Bb-forthrailbridge.jpg")
    'https://upload.wikimedia.org/wikipedia/commons/4/4f/Bb-forthrailbridge.jpg'
    """
    plain = commons_name(name)
    if not plain:
        raise InputError(f"{name!r} is not the name of a file; write one such as 'Bb-forthrailbridge.jpg'")
    digest = md5(plain.encode(), usedforsecurity=False).hexdigest()
    return f"{_UPLOAD}/{COMMONS}/{digest[0]}/{digest[:2]}/{quote(plain, safe='')}"


def file_of(address: str) -> WikiFile:
    """Return the file at an address, or the original of a thumbnail; the name is empty if the address has none.

    >>> file_of("https://upload.wikimedia.org/wikipedia/commons/thumb/4/4f/Bb.jpg/330px-Bb.jpg")
    WikiFile(wiki='commons', name='Bb.jpg')
    """
    path = _whole(urlsplit(address).path)
    match = _ORIGINAL.fullmatch(path)
    return WikiFile(match["wiki"] if match else COMMONS, commons_name(unquote(path.rpartition("/")[2])))


def thumbnail(address: str, width: int) -> str:
    """Return the address of a file's thumbnail in the served width nearest to ``width``; of two, the wider.

    Other addresses are returned unchanged. A thumbnail must not be wider than its original. Wikimedia does not
    guarantee the form of these addresses; those returned by the Action API (``picture_rights``) stay valid.
    """
    parts = urlsplit(address)
    match = _ORIGINAL.fullmatch(_whole(parts.path))
    if match is None:
        return address
    name = match["name"]
    before, after = _ENDINGS.get(name.rpartition(".")[2].lower(), ("", ""))
    path = f"{match['root']}/thumb/{match['folder']}/{name}/{before}{served_width(width)}px-{name}{after}"
    return parts._replace(path=path).geturl()


def served_width(width: int) -> int:
    """Return the served width nearest to the one wanted; of two, the wider.

    >>> served_width(800)
    960
    """
    return min(THUMBNAIL_WIDTHS, key=lambda served: (abs(served - width), -served))


def _whole(path: str) -> str:
    match = _THUMBNAIL.fullmatch(path)
    return f"{match[1]}{match[2]}" if match else path
