"""Normal forms of names: the one place that says when two names are the same."""

import re
import unicodedata
from functools import lru_cache

_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\S)")
_BREAK = re.compile(r"[\s_\-/]+")
_PUNCTUATION = re.compile(r"[^\w\s'&+.%$]|(?<!\d)\.|\.(?!\d)")

_KEPT = 1 << 16  # a run folds the same names again and again; so many are some 10 MB


@lru_cache(_KEPT)
def fold(name: str) -> str:
    """Return the normal form of a name: case, accents, articles, punctuation and spacing do not count.

    >>> fold("The  Cowboy-Hat.")
    'cowboy hat'
    """
    plain = name.lower() if name.isascii() else _plain(name)
    plain = _PUNCTUATION.sub(" ", _BREAK.sub(" ", plain.replace("’", "'")))
    plain = " ".join(plain.split())
    return _ARTICLE.sub("", plain) or name.strip().casefold()


def _plain(name: str) -> str:
    """Return a name in small letters without accents."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
