"""A picture changed step by step: a recipe that gives the same bytes again, and where its things lie then."""

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


_EFFORT = 1  # of PNG's coder: a quarter of the time of its default, and photos come out as small


class PerturbedPicture(NamedTuple):
    """A changed picture as the bytes of a PNG, the steps that made it, and the things as they lie in it."""

    content: bytes
    recipe: tuple[Step, ...]
    objects: tuple[Thing, ...] | None


def perturb_picture(
    file: Path, operations: Sequence[PictureOperation], original: Original, rng: "np.random.Generator"
) -> PerturbedPicture:
    """Draw and do the operations in their order, on the pixels alone; the file stays as it is.

    Raises NotEligible where the answer could change, VariantRejected where a check refuses an edit, PictureError for a
    picture that cannot be read, ResourceError for an extra that is missing.
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
    """Return the PNG that a recipe makes of the original file: the same bytes each time.

    Raises InputError for a step of an operation that is not among ``operations``, else as ``perturb_picture`` does.
    """
    picture = _pixels(file)
    for step in recipe:
        name = str(step.get("operation"))
        if name not in operations:
            raise InputError(f"no operation {name!r} on pictures; choose from {', '.join(map(repr, operations))}")
        picture = operations[name].apply(picture, step).picture
    return _png(picture)


def _objects_after(edited: Edited, objects: Sequence[Thing] | None) -> tuple[Thing, ...] | None:
    """Return the things that are left, where they lie now."""
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
    picture.info.clear()  # no note of the original's file goes along
    picture.save(stream, "PNG", compress_level=_EFFORT)
    return stream.getvalue()
