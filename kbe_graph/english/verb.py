"""Forms of verbs and adjectives."""

from functools import lru_cache
from typing import Literal


@lru_cache(1 << 14)
def form(verb: str, tag: Literal["VBG", "VBN", "VBZ"]) -> str:
    """Return the -ing form, the participle or the third person of a verb's base form."""
    from lemminflect import getInflection

    endings = {"VBG": "ing", "VBN": "ed", "VBZ": "s"}
    return str(next(iter(getInflection(verb, tag)), verb + endings[tag]))


@lru_cache(1 << 14)
def comparative(adjective: str) -> str:
    """Return the comparative of an adjective: smaller, more expensive."""
    from lemminflect import getInflection

    form = next(iter(getInflection(adjective, "JJR")), "")
    return str(form) if form and len(adjective) < 7 else f"more {adjective}"
