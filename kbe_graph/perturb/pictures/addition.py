"""Choice of the object to add to a picture, which no text or annotation names, and of a place clear of all boxes."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.datasets.view import Box
from kbe_graph.english.inflect import lemmas
from kbe_graph.files.resources import data, rows
from kbe_graph.perturb.eligible import is_target, target_words
from kbe_graph.perturb.operation import Original

if TYPE_CHECKING:
    import numpy as np

_COLUMNS = ("name", "aspect")
_SIDES = (0.36, 0.28, 0.22, 0.17)  # shares of the picture's shorter side, largest first
_GRID = 24  # places tried in each direction
_HIGHEST_BOTTOM = 0.75  # share of the height; objects stand on the ground, in the lower part
_RIM = 0.015  # share of the width left free around an object

Place = tuple[int, int, int, int]


class Addable(NamedTuple):
    """A common object: its name, and its width divided by its height."""

    name: str
    aspect: float


@cache
def addable_things() -> tuple[Addable, ...]:
    """Load the packaged table of common objects."""
    return tuple(Addable(name, float(aspect)) for _, (name, aspect) in rows(data("addable.tsv"), _COLUMNS))


def unnamed_things(original: Original) -> list[Addable]:
    """Return the objects that neither the question nor its answers nor the annotations name, not even by their kind.

    If a question asks for an animal, no animal is left; if the picture has a ball, no ball.
    """
    shown = (lemma for thing in original.objects or () for lemma in lemmas(thing.name))
    words = target_words(original) | {*shown, *original.accepted, *original.sample.choices}
    return [thing for thing in addable_things() if not is_target(thing.name, words)]


def is_target_known(original: Original) -> bool:
    """Return True if a target of the question has a box, so that no added object covers it."""
    targets = target_words(original)
    return any(is_target(thing.name, targets) for thing in original.objects or () if thing.box)


def free_place(size: tuple[int, int], boxes: Sequence[Box], aspect: float, rng: "np.random.Generator") -> Place | None:
    """Draw a box of the given aspect that touches no other box, as large as fits; None if there is no room."""
    for side in (share * min(size) for share in _SIDES):
        wide, high = min(size[0], round(side * aspect**0.5)), min(size[1], round(side / aspect**0.5))
        if places := _free_places(size, boxes, (wide, high)):
            x, y = places[int(rng.integers(len(places)))]
            return x, y, x + wide, y + high
    return None


def _free_places(size: tuple[int, int], boxes: Sequence[Box], extent: tuple[int, int]) -> list[tuple[int, int]]:
    rim, (wide, high) = round(size[0] * _RIM), extent
    highest = max(0, round(size[1] * _HIGHEST_BOTTOM) - high)
    return [
        (x, y)
        for y in _steps(highest, size[1] - high)
        for x in _steps(0, size[0] - wide)
        if not any(
            x - rim < box[2] and box[0] < x + wide + rim and y - rim < box[3] and box[1] < y + high + rim
            for box in boxes
        )
    ]


def _steps(first: int, last: int) -> list[int]:
    return sorted({first + round((last - first) * step / (_GRID - 1)) for step in range(_GRID)})
