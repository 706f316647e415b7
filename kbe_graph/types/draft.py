"""Identities that a model recognised in a picture, and drafts of questions with their answer sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kbe_graph.types.graph import Entity, Triplet

Compares = Literal["", "most", "least"]
DraftStatus = Literal["passed", "chosen", "refused"]
WHOLE_KEY = -1  # no edge is left out


@dataclass(frozen=True, slots=True)
class Identity:
    """What a seen thing is beyond its everyday name: its model, breed, airline, dish, place or the text on it.

    ``triplet`` is visual and holds the ``evidence`` that was seen. ``sure`` is how sure the model is, from 0 to 1, and
    ``box`` the place in the picture, as shares of its width and height (left, top, right, bottom), empty if unknown.
    ``again`` is what a second look named, without the first answer. A refused one has a ``reason``. ``names`` are other
    names of the same, and ``run`` is the run whose drafts name it, empty if it was recognised with the graph.
    """

    sample: str
    number: int
    triplet: Triplet
    sure: float
    box: tuple[float, ...] = ()
    again: str = ""
    reason: str = ""
    names: tuple[str, ...] = ()
    run: str = ""

    @property
    def id(self) -> str:
        """The id of the identity."""
        return "|".join(filter(None, (self.sample, self.run, f"{self.number:02}")))


@dataclass(frozen=True, slots=True)
class DraftEdge:
    """A triplet of a draft, and what of it the question's words fix.

    ``word`` is the name that an object must end with to fit, empty if any object fits. ``is_seen`` says that the object
    is a thing that the picture shows, ``number`` is the number in its name, if the question compares numbers. A
    ``rival`` is no part of the key: a fact by which something else would fit if an edge were missing.
    """

    triplet: Triplet
    word: str = ""
    is_seen: bool = False
    number: float | None = None
    rival: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a model drafted, with its key subgraph, before and after the gates.

    ``number`` counts the drafts of a sample in a run, and ``shape`` is the name of a shape. ``edges`` are the key in an
    order in which each edge hangs on an earlier one or on IMAGE, then the rivals. ``compares`` is ``most`` or ``least``
    if the answer is the thing whose number is first. ``status`` is passed, chosen or refused, with the ``reason`` and
    its ``detail``. ``guess`` is what a model answered without the picture, ``solved`` with the picture and the facts,
    and ``unaided`` with the picture alone. ``rank`` is the place among the passed drafts, from 1.
    """

    sample: str
    run: str
    number: int
    shape: str
    text: str
    answer: str
    edges: tuple[DraftEdge, ...]
    end: Entity
    aliases: tuple[str, ...] = ()
    compares: Compares = ""
    status: DraftStatus = "passed"
    reason: str = ""
    detail: str = ""
    rank: int = 0
    guess: str = ""
    solved: str = ""
    unaided: str = ""
    is_unaided_right: bool | None = None
    mends: int = 0
    prompt: str = ""
    calls: tuple[str, ...] = field(default=(), compare=False)

    @property
    def id(self) -> str:
        """The id of the draft."""
        return f"{self.sample}@{self.run}#{self.number}"

    @property
    def key(self) -> tuple[Triplet, ...]:
        """The key subgraph, in order."""
        return tuple(edge.triplet for edge in self.edges if not edge.rival)

    @property
    def facts(self) -> tuple[Triplet, ...]:
        """The key triplets that are knowledge."""
        return tuple(triplet for triplet in self.key if triplet.graph == "textual")

    @property
    def hop(self) -> int:
        """The number of facts that the key needs, at least 1: a question that only recognises is of hop 1."""
        return max(1, len(self.facts))

    @property
    def depth(self) -> int:
        """The number of key edges, |E_K|."""
        return len(self.key)


AnswerSets = Mapping[int, frozenset[str]]
"""The ids of the entities that fit a draft: by all its edges (``WHOLE_KEY``), and by all but the edge at a place."""
