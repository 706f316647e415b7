"""Step-by-step changes of a picture, with a recipe that reproduces the same bytes."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import InputError
from kbe_graph.files.pixels import on_white, open_picture
from kbe_graph.perturb.operation import Edited, NotEligible, Original, PictureOperation, Step, VariantRejected
from kbe_graph.perturb.picture_check import picture_fault
from kbe_graph.perturb.registry import PICTURE_OPERATIONS

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image


_EFFORT = 1  # PNG compression level: a quarter of the default's time, and photos get equally small


class PerturbedPicture(NamedTuple):
    """A changed picture as PNG bytes, the steps that made it, and its objects in their new positions."""

    content: bytes
    recipe: tuple[Step, ...]
    objects: tuple[Thing, ...] | None


def perturb_picture(
    file: Path, operations: Sequence[PictureOperation], original: Original, rng: "np.random.Generator"
) -> PerturbedPicture:
    """Draw and apply the operations in order; the file itself stays unchanged.

    Raises NotEligible if the answer could change, VariantRejected if a check rejects an edit, PictureError for an
    unreadable picture, and ResourceError for a missing extra.
    """
    for operation in operations:
        if reason := operation.refuse(original):
            raise NotEligible(reason)
    picture, recipe = _pixels(file), []
    for operation in operations:
        step = operation.draw(original, picture, rng)
        edited = operation.apply(picture, step)
        if fault := picture_fault(picture, edited, operation):
            raise VariantRejected(fault)
        recipe.append(step)
        picture, original = edited.picture, replace(original, objects=_objects_after(edited, original.objects))
    return PerturbedPicture(_png(picture), tuple(recipe), original.objects)


def replay(
    file: Path, recipe: Sequence[Step], operations: Mapping[str, PictureOperation] = PICTURE_OPERATIONS
) -> bytes:
    """Reproduce the PNG of a recipe from the original file, byte for byte.

    Raises InputError for a step whose operation is not in ``operations``, and otherwise like ``perturb_picture``.
    """
    picture = _pixels(file)
    for step in recipe:
        name = str(step.get("operation"))
        if name not in operations:
            raise InputError(f"no operation {name!r} on pictures; choose from {', '.join(map(repr, operations))}")
        picture = operations[name].apply(picture, step).picture
    return _png(picture)


def _objects_after(edited: Edited, objects: Sequence[Thing] | None) -> tuple[Thing, ...] | None:
    """Return the remaining objects in their new positions."""
    if objects is None:
        return None
    x, y = edited.move.scale
    return tuple(
        replace(thing, area=thing.area * x * y, box=edited.move.box(thing.box) if thing.box else None)
        for thing in objects
        if thing.id not in edited.gone
    )


def _pixels(file: Path) -> "Image.Image":
    with open_picture(file) as picture:
        return on_white(picture)


def _png(picture: "Image.Image") -> bytes:
    stream = io.BytesIO()
    picture.info.clear()  # drops the original's metadata
    picture.save(stream, "PNG", compress_level=_EFFORT)
    return stream.getvalue()
