"""What one annotation says of one image: things, and links between them."""

from dataclasses import dataclass
from typing import NamedTuple

SOURCES = ("scene graph", "coco instances", "caption", "caption words", "action", "detection")
"""The sources, the ones that people made by hand first."""


def rank(source: str) -> int:
    """Return the place of a source among all: those that plug-ins add come last."""
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object that an annotation names.

    ``id`` is the annotation's own, or its place in a caption; ``area`` its size in pixels, 0 where it is not known;
    ``attributes`` what it is said to be (red, wooden, two).
    """

    id: str
    name: str
    area: float = 0.0
    attributes: tuple[str, ...] = ()


class ThingLink(NamedTuple):
    """A relation between two things, by their ids."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class View:
    """The things and links of one annotation.

    ``ref`` is file#id, ``evidence`` the words it was read from, ``question`` the one it was made for, if for one.
    """

    source: str
    ref: str
    things: tuple[Thing, ...] = ()
    links: tuple[ThingLink, ...] = ()
    evidence: str = ""
    question: str = ""


class KeyedView(NamedTuple):
    """A view, or a caption that is still to be parsed, with the key it belongs to: an image's or a question's id."""

    key: str
    view: View
