"""All explorations of a hop: what they hold waits in a file until each question's answer can be chosen among all."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple

from kbe_graph.checks.guessable import Seat
from kbe_graph.evolve.exploration import Exploration, Option
from kbe_graph.evolve.part_content import dumps, load
from kbe_graph.text import fold


class Packed(NamedTuple):
    """A batch of explorations as it is kept: what each sample could get, in drawn order, and all of them pickled."""

    seats: Mapping[str, tuple[Seat, ...]]
    content: bytes


def pack_explorations(explorations: Sequence[Exploration]) -> Packed:
    """Return a batch as it is kept."""
    seats = {exploration.parent.sample: tuple(map(_seat, exploration.options)) for exploration in explorations}
    return Packed(seats, dumps(explorations))


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

    def add(self, explorations: Sequence[Exploration]) -> None:
        """Take a batch in; what is there of its samples gives way to it."""
        self.add_packed(pack_explorations(explorations))

    def add_packed(self, packed: Packed) -> None:
        """Do what ``add`` does with a batch that a worker packed."""
        for sample, seats in packed.seats.items():
            self._latest[sample] = len(self._places)
            self.seats.pop(sample, None)
            if seats:
                self.seats[sample] = seats
        self._places.append(self._file.seek(0, os.SEEK_END))
        self._file.write(packed.content)

    def batches(self) -> Iterator[list[Exploration]]:
        """Give the batches back."""
        for number, place in enumerate(self._places):
            self._file.seek(place)
            batch = load(self._file)
            yield [each for each in batch if self._latest[each.parent.sample] == number]


def _seat(option: Option) -> Seat:
    chain = tuple(triplet.relation for triplet in option.question.explored)
    return Seat(fold(option.question.answer), chain, option.onward, option.unsourced)


@contextmanager
def open_explorations() -> Iterator[Explorations]:
    """Give an empty one, whose file goes at the end."""
    with tempfile.TemporaryFile() as file:
        yield Explorations(file)
