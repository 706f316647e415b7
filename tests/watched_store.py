"""A store that records how much is read at once."""

from dataclasses import dataclass, field
from typing import Any

from kbe_graph.store import Store
from kbe_graph.types import Question, Sample, SampleGraph


@dataclass(frozen=True)
class WatchedStore(Store):
    """A store that records how many samples, graphs and questions each read returned."""

    reads: list[int] = field(default_factory=list)

    def samples(self, **narrow: Any) -> list[Sample]:
        """Read samples."""
        return self._noted(super().samples(**narrow))

    def graphs(self, ids: Any) -> dict[str, SampleGraph]:
        """Read graphs."""
        return self._noted(super().graphs(ids))

    def questions(self, **narrow: Any) -> list[Question]:
        """Read questions."""
        return self._noted(super().questions(**narrow))

    def _noted(self, found: Any) -> Any:
        self.reads.append(len(found))
        return found
