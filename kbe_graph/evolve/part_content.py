"""What came of a part, or of a batch, as bytes: the values of this program alone, whoever wrote them."""

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import IO, Any

from kbe_graph.errors import StoreError
from kbe_graph.evolve.exploration import Exploration, Fate, Option
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.store import Evolved
from kbe_graph.store.stored_inspections import StoredInspection
from kbe_graph.types import Decision, Entity, Fact, Inspection, Provenance, Question, Triplet

EXPLORED = (Exploration, Fate, Option, Fact, ProposedFact, Decision)
ASKED = (Evolved, Question, Triplet, Entity, Provenance, Inspection, StoredInspection)
KINDS: dict[tuple[str, str], type] = {(kind.__module__, kind.__name__): kind for kind in (*EXPLORED, *ASKED)}


def dumps(values: Sequence[Any]) -> bytes:
    """Return values as bytes."""
    stream = io.BytesIO()
    dump(values, stream)
    return stream.getvalue()


def loads(content: bytes) -> Any:
    """Return the values that ``dumps`` made bytes of; raises StoreError where they hold anything else."""
    return load(io.BytesIO(content))


def dump(values: Sequence[Any], stream: IO[bytes]) -> None:
    """Write values to a stream."""
    _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(list(values))


def load(stream: IO[bytes]) -> Any:
    """Read the next values from a stream; raises StoreError where they hold anything else."""
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
