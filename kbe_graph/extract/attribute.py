"""Attributes of things: which relation each is the object of, and which are nouns."""

from functools import lru_cache
from typing import Literal

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.text import fold

AttributeRelation = Literal["color", "count", "material", "attribute"]

_WOODEN = {"wooden", "metallic", "woolen", "woollen"}


@lru_cache(1 << 14)
def attribute_relation(value: str) -> AttributeRelation:
    """Return what an attribute tells of a thing: its color, how many there are, its material, or anything else."""
    parts = [word for word in fold(value).split() if word not in ("and", "light", "dark", "bright", "pale")]
    if parts and all(part in ("black", "white") or wordnet().is_colour(part) for part in parts):
        return "color"
    if value.isdecimal() or (parts and all(part in words("numbers") for part in parts)):
        return "count"
    synsets = wordnet().lookup(value).synsets
    is_substance = bool(synsets) and synsets[0].lexname == "noun.substance" and _is_noun(value)
    return "material" if is_substance or value in _WOODEN else "attribute"


def is_attribute_noun(value: str, relation: AttributeRelation) -> bool:
    """Return whether an attribute is a noun, so that a path may end in it: the material wood, but not wooden or red."""
    return relation in ("material", "attribute") and _is_noun(value)


@lru_cache(1 << 14)
def _is_noun(value: str) -> bool:
    counts = wordnet().counts(fold(value))
    return "n" in counts and counts["n"] >= max((counts.get(part, 0) for part in "var"), default=0)
