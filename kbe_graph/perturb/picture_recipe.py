"""Step-by-step changes of a picture, checked after each, with a recipe that reproduces the same bytes."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import InputError
from kbe_graph.files.pixels import on_white, open_picture
from kbe_graph.perturb.operation import Edited, NotEligible, Original, Step, VariantRejected
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, PictureOperation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

_EFFORT = 1  # PNG compression level: a quarter of the default's time, and photos get equally small
_LEAST_CHANGE = 3.0  # mean absolute difference out of 255; less is invisible
_LEAST_SHARE = 0.001  # of the pixels
_LEAST_LIKENESS, _MOST_LIKENESS = 0.35, 0.95  # SSIM of a repainted picture
_WINDOW = 8  # pixels, window of SSIM
_SIDE = 640  # pixels of the longer side for SSIM


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


def picture_fault(before: "Image.Image", edited: Edited, operation: PictureOperation) -> str:
    """Explain why an edit is not a valid variant; empty if it is.

    The change must be visible (except for the control) and leave all pixels outside it identical; a repainted picture
    must be neither unchanged nor a different picture.
    """
    if not keeps_the_rest(before, edited):
        return "pixels changed outside of the edit"
    if operation.is_control or edited.picture.size != before.size:
        return ""
    if not _is_seen(before, edited):
        return "the change cannot be seen"
    if operation.is_exact or edited.changed is not None:
        return ""
    likeness = structural_similarity(before, edited.picture)
    return "" if _LEAST_LIKENESS <= likeness <= _MOST_LIKENESS else "painted too much or too little"


def keeps_the_rest(before: "Image.Image", edited: Edited) -> bool:
    """Return True if every pixel outside the change is identical, after moving the content."""
    import numpy as np

    if edited.changed is None:
        return True
    x, y = map(round, edited.move.offset)
    same = np.zeros(edited.changed.shape, dtype=bool)
    old, new = np.asarray(before), np.asarray(edited.picture)
    place = slice(y, y + before.height), slice(x, x + before.width)
    same[place] = (new[place] == old).all(axis=-1)
    return bool((same | edited.changed).all())


def _is_seen(before: "Image.Image", edited: Edited) -> bool:
    import numpy as np

    difference = np.abs(np.asarray(before, dtype=np.int16) - np.asarray(edited.picture, dtype=np.int16))
    if edited.changed is None:
        return float(difference.mean()) > _LEAST_CHANGE
    share = float(edited.changed.mean())
    return share >= _LEAST_SHARE and float(difference[edited.changed].mean()) > _LEAST_CHANGE


def structural_similarity(first: "Image.Image", second: "Image.Image") -> float:
    """Compute the mean SSIM of two pictures of one size in grey, 1 if equal (Wang et al. 2004; square windows)."""
    import numpy as np

    x, y = (_grey(picture) for picture in (first, second))
    mean_x, mean_y = _means(x), _means(y)
    spread_x, spread_y = _means(x * x) - mean_x**2, _means(y * y) - mean_y**2
    together = _means(x * y) - mean_x * mean_y
    small, large = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    alike = (2 * mean_x * mean_y + small) * (2 * together + large)
    return float(np.mean(alike / ((mean_x**2 + mean_y**2 + small) * (spread_x + spread_y + large))))


def _grey(picture: "Image.Image") -> "NDArray[np.float64]":
    import numpy as np

    grey = picture.convert("L")
    grey.thumbnail((_SIDE, _SIDE))
    return np.asarray(grey, dtype=np.float64)


def _means(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    window = min(_WINDOW, *values.shape)
    sums = np.pad(values, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    boxes = sums[window:, window:] - sums[:-window, window:] - sums[window:, :-window] + sums[:-window, :-window]
    return np.asarray(boxes / window**2)
