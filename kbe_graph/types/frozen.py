"""Frozen releases of runs: what a version holds, the status of each question in it, and errata."""

from dataclasses import dataclass
from typing import Literal

from kbe_graph.brief import brief

ItemStatus = Literal["unchanged", "revised", "uncertain", "withdrawn"]
"""The status of a question in a version, compared with the version before, or with how it was made."""
ErratumKind = Literal["fact", "question", "answer"]


def release_id(name: str, version: int) -> str:
    """Build the id of a version of a release.

    >>> release_id("demo", 2)
    'demo@2'
    """
    return f"{name}@{version}"


@brief("id run created forms forgotten")
@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A version of a release, never changed once it is made.

    ``canary`` is the GUID in each of its files, and ``digest`` the SHA-256 of its ``release.json``. ``forms`` is the
    number of parallel forms, ``created`` the time (ISO 8601, UTC). ``forgotten`` says that questions of it were
    deleted: its record stays, so that no number is given twice.
    """

    name: str
    version: int
    run: str
    created: str
    canary: str
    digest: str
    forms: int = 1
    forgotten: bool = False

    @property
    def id(self) -> str:
        """The id of the version."""
        return release_id(self.name, self.version)


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """A question in a version of a release, by the id of its first version.

    ``hash`` is the SHA-256 of text, answer, aliases, options, key and pictures, and ``content`` all of these as JSON.
    ``form`` is the number of its parallel form, from 1. ``held_back`` says that it is in the part kept private, and
    ``mini`` that it is in the small selection. ``reason`` is that of its status, or of its last change.
    """

    question: str
    status: ItemStatus
    hash: str
    content: str
    reason: str = ""
    form: int = 1
    held_back: bool = False
    mini: bool = False


@brief()
@dataclass(frozen=True, slots=True)
class Erratum:
    """A mistake that was found in a fact, a question or an answer (``kind``); ``what`` names it.

    A fact is its subject, relation and object, joined by bars; a question its id; an answer its words. ``correct`` is
    the right answer or object, ``also`` a further accepted answer, if known: with one of them, questions are mended
    instead of withdrawn where that is possible. ``by`` is who found it, ``time`` when (ISO 8601, UTC). ``undone`` is
    why it was taken back, and ``undone_at`` when; one that was is no longer applied.
    """

    id: str
    kind: ErratumKind
    what: str
    why: str
    time: str
    by: str = ""
    correct: str = ""
    also: str = ""
    undone: str = ""
    undone_at: str = ""
