"""Files of Wikimedia Commons and of the Wikipedias: their names, addresses and thumbnails."""

import re
from hashlib import md5
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from kbe_graph.errors import InputError

COMMONS = "commons"
THUMBNAIL_WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""The widths that Wikimedia serves since 2026; any other is refused (mediawiki.org, "Common thumbnail sizes")."""

_UPLOAD = "https://upload.wikimedia.org/wikipedia"
_ORIGINAL = re.compile(r"(?P<root>.*/wikipedia/(?P<wiki>[a-z-]+))/(?P<folder>[0-9a-f]/[0-9a-f]{2})/(?P<name>[^/]+)")
_THUMBNAIL = re.compile(r"(.*/wikipedia/[a-z-]+)/thumb(/[0-9a-f]/[0-9a-f]{2}/[^/]+)/[^/]+")
# Scans and drawings have thumbnails of another type, with its ending added.
_ENDINGS = {"svg": ("", ".png"), "xcf": ("", ".png"), "tif": ("lossy-page1-", ".jpg"), "tiff": ("lossy-page1-", ".jpg")}


class WikiFile(NamedTuple):
    """A file of a wiki (``commons``, ``en``) by its name, in which spaces are underscores."""

    wiki: str
    name: str


def commons_name(name: str) -> str:
    """Return the name of a file as its address has it: a capital first, underscores, no namespace.

    >>> commons_name("File:bb-forthrailbridge.jpg")
    'Bb-forthrailbridge.jpg'
    """
    bare = re.sub(r"^(?:file|image):", "", name.strip(), flags=re.IGNORECASE)
    bare = "_".join(bare.replace("_", " ").split())
    return bare[:1].upper() + bare[1:]


def commons_address(name: str) -> str:
    """Return the address of a file of Commons, whose folders follow from its name.

    >>> commons_address("Bb-forthrailbridge.jpg")
    'https://upload.wikimedia.org/wikipedia/commons/4/4f/Bb-forthrailbridge.jpg'
    """
    plain = commons_name(name)
    if not plain:
        raise InputError(f"{name!r} is not the name of a file; write one such as 'Bb-forthrailbridge.jpg'")
    digest = md5(plain.encode(), usedforsecurity=False).hexdigest()
    return f"{_UPLOAD}/{COMMONS}/{digest[0]}/{digest[:2]}/{quote(plain, safe='')}"


def file_of(address: str) -> WikiFile:
    """Return the file that an address leads to, that of a thumbnail's original; the name is empty where none is named.

    >>> file_of("https://upload.wikimedia.org/wikipedia/commons/thumb/4/4f/Bb.jpg/330px-Bb.jpg")
    WikiFile(wiki='commons', name='Bb.jpg')
    """
    path = _whole(urlsplit(address).path)
    match = _ORIGINAL.fullmatch(path)
    return WikiFile(match["wiki"] if match else COMMONS, commons_name(unquote(path.rpartition("/")[2])))


def thumbnail(address: str, width: int) -> str:
    """Return the address of a file's thumbnail in the served width that is nearest, the wider of two.

    An address that is not of Wikimedia's form is returned as it is. A thumbnail must not be wider than its original.
    Wikimedia promises no form of these addresses; those that the Action API names (``picture_rights``) stay right.
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
    """Return the width that is served and nearest to the one wanted, the wider of two.

    >>> served_width(800)
    960
    """
    return min(THUMBNAIL_WIDTHS, key=lambda served: (abs(served - width), -served))


def _whole(path: str) -> str:
    """Return the path of an original from that of a thumbnail, any other as it is."""
    match = _THUMBNAIL.fullmatch(path)
    return f"{match[1]}{match[2]}" if match else path
