"""Items and statements of Wikidata, pictures of Wikipedia pages, and the origin of a sample that is made of them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Rank = Literal["preferred", "normal", "deprecated"]
ValueKind = Literal["item", "quantity", "time", "coordinate", "text", "media", "other", "unknown", "none"]


@dataclass(frozen=True, slots=True)
class WikiItem:
    """An item of Wikidata, as one source tells it.

    ``id`` is its own (Q275), after redirects. ``kinds`` are the ids and ``kind_labels`` the labels of what it is an
    instance of, current ones of best rank, in the order of the entity. ``sitelinks`` counts the articles about it.
    ``revision`` and ``modified`` are those of the entity, empty where the source has none; ``source`` names the source
    (an address or a file) and ``fetched`` the day of the answer.
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
        """Whether it is a person."""
        return "Q5" in self.kinds


@dataclass(frozen=True, slots=True)
class WikiStatement:
    """A statement of Wikidata: an item, a property and a value, as it can be said in English.

    ``id`` is Wikidata's (``Q275$...``); ``relation`` the English label of the property (``property_id``, P2043), empty
    where it has none; ``datatype`` the property's, as the Action API names it (``wikibase-item``, ``quantity``).
    ``kind`` is the kind of the value, ``unknown`` for somevalue and ``none`` for novalue. ``target`` is the item that
    is the value (Q158218). ``text`` is the value in words (``1300 kilometres``, ``4 March 1890``, the label of the
    target), empty where none can be said. ``raw`` is the value as Wikidata has it, as JSON; ``unit`` the English label
    of a quantity's unit, ``1`` where it has none. ``best`` says that no other statement of this property has a better
    rank, ``current`` that no qualifier ends it or narrows it down. ``reasons`` name each filter that refuses it; a
    statement without any is kept.
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
        """Whether no filter refuses it."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture on a page of Wikipedia with its caption: a row of a corpus (WIT), and what became of it.

    ``id`` is ``language:title|file name``, or ``item|file name`` for a row that names an item. ``image`` is the address
    of the picture, ``page`` that of the page. ``item`` is the item that the page is about, once it is known; ``reason``
    says why there is none, or why the picture is left out. ``author``, ``licence`` and ``licence_url`` are the
    picture's, as its own page tells them.
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
    """What a sample was made of: the picture, the item it shows, and the statements that its question follows from.

    ``maker`` is ``rule`` or a model's name, ``prompt`` the hash of its prompt and ``calls`` the hashes of its calls.
    """

    sample: str
    picture: str
    item: str
    statements: tuple[str, ...]
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()
