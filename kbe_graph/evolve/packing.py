"""What a batch of a run came to, as bytes: for another process, for the graph, and for the file of a hop.

They hold the values of this program alone, whoever wrote them.
"""

import io
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import IO, Any

from kbe_graph.checks.guessable import Seat
from kbe_graph.errors import StoreError
from kbe_graph.evolve.exploration import Exploration, Fate, Option
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.store import Evolved
from kbe_graph.store.stored_inspections import StoredInspection
from kbe_graph.text import fold
from kbe_graph.types import Decision, Entity, Fact, Inspection, Provenance, Question, Triplet

EXPLORED = (Exploration, Fate, Option, Seat, Fact, ProposedFact, Decision)
ASKED = (Evolved, Question, Triplet, Entity, Provenance, Inspection, StoredInspection)
KINDS: dict[tuple[str, str], type] = {(kind.__module__, kind.__name__): kind for kind in (*EXPLORED, *ASKED)}


def dumps(values: Sequence[Any]) -> bytes:
    """Return values as bytes."""
    stream = io.BytesIO()
    _dump(values, stream)
    return stream.getvalue()


def loads(content: bytes) -> Any:
    """Return the values that ``dumps`` made bytes of; raises StoreError where they hold anything else."""
    return _load(io.BytesIO(content))


def _dump(values: Sequence[Any], stream: IO[bytes]) -> None:
    _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(list(values))


def _load(stream: IO[bytes]) -> Any:
    return _Unpickler(stream).load()


class _Pickler(pickle.Pickler):
    """Pickles values by what they are made from: a frozen dataclass itself is three times slower about it."""

    def reducer_override(self, value: Any) -> Any:
        """Return the class and what it is called with, where it is a dataclass of several parts."""
        parts = _parts(type(value))  # type: ignore[arg-type]  # a class is hashable
        return (type(value), parts(value)) if parts else NotImplemented


@lru_cache(64)
def _parts(kind: type) -> Callable[[object], Any] | None:
    """Return what gives the parts of a dataclass's values, None for one of a single part and for another class."""
    names = [part.name for part in fields(kind)] if is_dataclass(kind) else []
    return attrgetter(*names) if len(names) > 1 else None


class _Unpickler(pickle.Unpickler):
    """Makes values of this program alone: what stands in a graph may have been written by others."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of a value."""
        if (module, name) not in KINDS:
            raise StoreError(f"what was kept of a part holds a {module}.{name}; forget the run, then run it again")
        return KINDS[module, name]


def pack_explorations(explorations: Sequence[Exploration]) -> bytes:
    """Return a batch as bytes: what each sample could get, in drawn order, and then the explorations."""
    seats = {exploration.parent.sample: tuple(map(_seat, exploration.options)) for exploration in explorations}
    return dumps([seats]) + dumps(explorations)


def _seat(option: Option) -> Seat:
    chain = tuple(triplet.relation for triplet in option.question.explored)
    return Seat(fold(option.question.answer), chain, option.onward, option.unsourced)


class Explorations:
    """All of a hop, in the order in which they came, a batch at a time.

    Held in memory is what each sample could get, in drawn order, for the share of one answer is a property of the whole
    run; the rest lies in the file, so that memory does not grow with the candidates.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.seats: dict[str, tuple[Seat, ...]] = {}
        self._file = file
        self._places: list[int] = []
        self._latest: dict[str, int] = {}

    async def add(self, content: bytes) -> None:
        """Take a packed batch in; it replaces what is there of its samples."""
        stream = io.BytesIO(content)
        for sample, seats in _load(stream)[0].items():
            self._latest[sample] = len(self._places)
            self.seats.pop(sample, None)
            if seats:
                self.seats[sample] = seats
        self._places.append(self._file.seek(0, os.SEEK_END))
        self._file.write(content[stream.tell() :])

    def batches(self) -> Iterator[list[Exploration]]:
        """Give the batches back."""
        for number, place in enumerate(self._places):
            self._file.seek(place)
            batch = _load(self._file)
            yield [each for each in batch if self._latest[each.parent.sample] == number]


@contextmanager
def open_explorations() -> Iterator[Explorations]:
    """Give an empty one, whose file goes at the end."""
    with tempfile.TemporaryFile() as file:
        yield Explorations(file)
