"""All explorations of a hop: what they hold waits in a file until each question's answer can be chosen among all."""

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from kbe_graph.evolve.exploration import Exploration
from kbe_graph.text import fold


class Explorations:
    """All of a hop, in the order in which they came, a batch at a time.

    Held in memory are the answers that each sample could get, in drawn order, for the share of one answer is a property
    of the whole run; the rest lies in the file, so that memory does not grow with the candidates.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.answers: dict[str, tuple[str, ...]] = {}
        self._file = file
        self._batches = 0

    def add(self, explorations: Sequence[Exploration]) -> None:
        """Take a batch in."""
        for exploration in explorations:
            if exploration.options:
                answers = tuple(fold(option.question.answer) for option in exploration.options)
                self.answers[exploration.parent.sample] = answers
        pickle.dump(explorations, self._file, pickle.HIGHEST_PROTOCOL)
        self._batches += 1

    def batches(self) -> Iterator[list[Exploration]]:
        """Give the batches back."""
        self._file.seek(0)
        for _ in range(self._batches):
            yield pickle.load(self._file)  # noqa: S301 - written by this process alone


@contextmanager
def open_explorations() -> Iterator[Explorations]:
    """Give an empty one, whose file goes at the end."""
    with tempfile.TemporaryFile() as file:
        yield Explorations(file)
