"""Wikidata items and statements, images of Wikipedia pages, and the origin of samples built from them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Rank = Literal["preferred", "normal", "deprecated"]
ValueKind = Literal["item", "quantity", "time", "coordinate", "text", "media", "other", "unknown", "none"]


@dataclass(frozen=True, slots=True)
class WikiItem:
    """A Wikidata item, as described by one source.

    ``id`` is the item's id (Q275), after redirects. ``kinds`` are the ids and ``kind_labels`` the labels of what it is
    an instance of: current values of best rank, in the entity's order. ``sitelinks`` counts the articles about it.
    ``revision`` and ``modified`` are the entity's, empty if the source has none. ``source`` names the source (an
    address or a file), and ``fetched`` is the day of the reply.
    """

    id: str
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    kind_labels: tuple[str, ...] = ()
    sitelinks: int = 0
    revision: str = ""
    modified: str = ""
    source: str = ""
    fetched: str = ""

    @property
    def human(self) -> bool:
        """Whether the item is a person."""
        return "Q5" in self.kinds


@dataclass(frozen=True, slots=True)
class WikiStatement:
    """A Wikidata statement: an item, a property and a value, worded in English.

    ``id`` is Wikidata's (``Q275$...``). ``relation`` is the English label of the property (``property_id``, P2043),
    empty if it has none. ``datatype`` is the property's, as the Action API names it (``wikibase-item``, ``quantity``).
    ``kind`` is the kind of the value, ``unknown`` for somevalue and ``none`` for novalue. ``target`` is the item that
    is the value (Q158218). ``text`` is the value in words (``1300 kilometres``, ``4 March 1890``, the label of the
    target), empty if it cannot be worded. ``raw`` is Wikidata's value as JSON. ``unit`` is the English label of a
    quantity's unit, ``1`` if it has none. ``best`` means that no other statement of this property has a better rank;
    ``current`` means that no qualifier ends or restricts it. ``reasons`` name the filters that refuse it; a statement
    without reasons is kept.
    """

    id: str
    item: str
    property_id: str
    relation: str
    datatype: str
    kind: ValueKind
    target: str = ""
    text: str = ""
    raw: str = ""
    unit: str = ""
    rank: Rank = "normal"
    best: bool = True
    current: bool = True
    reasons: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether no filter refuses the statement."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class PagePicture:
    """An image on a Wikipedia page with its caption: one row of a corpus (WIT), and its outcome.

    ``id`` is ``language:title|file name``, or ``item|file name`` for a row that names an item. ``image`` is the address
    of the image, and ``page`` that of the page. ``item`` is the item that the page is about, once known; ``reason``
    says why there is none, or why the image is excluded. ``author``, ``licence`` and ``licence_url`` come from the
    image's own page.
    """

    id: str
    image: str
    caption: str = ""
    page: str = ""
    title: str = ""
    language: str = "en"
    section: str = ""
    context: str = ""
    mime: str = ""
    width: int = 0
    height: int = 0
    is_main: bool = False
    item: str = ""
    reason: str = ""
    author: str = ""
    licence: str = ""
    licence_url: str = ""


class SampleOrigin(NamedTuple):
    """The origin of a sample: the image, the item it shows, and the statements that its question follows from.

    ``maker`` is ``rule`` or a model's name; ``prompt`` is the hash of its prompt, and ``calls`` are the hashes of its
    calls.
    """

    sample: str
    picture: str
    item: str
    statements: tuple[str, ...]
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()
