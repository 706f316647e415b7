"""Variants of a question with a changed picture, changed words, or both."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import PictureError
from kbe_graph.files.image import save_image
from kbe_graph.files.pixels import on_white, open_picture
from kbe_graph.perturb.methods import Composition
from kbe_graph.perturb.operation import NotEligible, Original, Step, VariantRejected
from kbe_graph.perturb.picture_operations import Changed, PictureOperation
from kbe_graph.perturb.text_check import check_text
from kbe_graph.seeds import seed_of
from kbe_graph.types import QuestionVariant

if TYPE_CHECKING:
    from PIL import Image

NO_PICTURE = "the picture was not found"
SEVERAL_PICTURES = "the question is about several pictures"


_LEAST_CHANGE = 4  # of a channel, out of 255; less is invisible in every pixel
_EFFORT = 1  # PNG compression level: a quarter of the default's time, and photos get equally small


class PerturbedPicture(NamedTuple):
    """A changed picture as PNG bytes, the steps that made it, and its objects in their new positions."""

    content: bytes
    recipe: tuple[Step, ...]
    objects: tuple[Thing, ...] | None


def perturb_picture(
    file: Path, operations: Sequence[PictureOperation], original: Original, rng: np.random.Generator
) -> PerturbedPicture:
    """Draw and apply the operations in order; the file itself stays unchanged.

    Raises NotEligible if the answer could change, VariantRejected if nothing changes, PictureError for an unreadable
    picture, and ResourceError for a missing extra.
    """
    for operation in operations:
        if reason := operation.refuse(original):
            raise NotEligible(reason)
    with open_picture(file) as opened:
        picture, recipe = on_white(opened), list[Step]()
    for operation in operations:
        changed = operation.change(original, picture, rng)
        if not operation.is_control and _is_same(picture, changed.picture):
            raise VariantRejected("the change cannot be seen")
        recipe.append(changed.step)
        picture, original = changed.picture, replace(original, objects=_objects_after(changed, original.objects))
    stream = io.BytesIO()
    picture.info.clear()  # drops the original's metadata
    picture.save(stream, "PNG", compress_level=_EFFORT)
    return PerturbedPicture(stream.getvalue(), tuple(recipe), original.objects)


def _is_same(before: "Image.Image", after: "Image.Image") -> bool:
    from PIL import ImageChops

    if before.size != after.size:
        return False
    return all(most < _LEAST_CHANGE for _, most in ImageChops.difference(before, after).getextrema())


def _objects_after(changed: Changed, objects: Sequence[Thing] | None) -> tuple[Thing, ...] | None:
    if objects is None:
        return None
    x, y = changed.move.scale
    return tuple(
        replace(thing, area=thing.area * x * y, box=changed.move.box(thing.box) if thing.box else None)
        for thing in objects
        if thing.id not in changed.gone
    )


class MadeVariant(NamedTuple):
    """A variant, and its picture as PNG bytes, empty if unchanged."""

    variant: QuestionVariant
    picture: bytes = b""


def make_variant(original: Original, composition: Composition, seed: int, files: Sequence[Path]) -> MadeVariant:
    """Apply a composition to a question; a variant that cannot be made gets a status and reason instead.

    ``files`` are the question's pictures. The draws depend only on the sample, the composition and the seed. Raises
    ResourceError for a missing extra.
    """
    blank = QuestionVariant(original.question.id, composition.name, seed, text=original.question.text)
    rng = np.random.default_rng(seed_of("perturb", original.sample.id, composition.name, seed))
    try:
        return _make(blank, original, composition, files, rng)
    except NotEligible as reason:
        return MadeVariant(replace(blank, status="refused", reason=str(reason)))
    except VariantRejected as reason:
        return MadeVariant(replace(blank, status="rejected", reason=str(reason)))
    except PictureError:
        return MadeVariant(replace(blank, status="refused", reason="the picture cannot be read"))


def _make(
    blank: QuestionVariant,
    original: Original,
    composition: Composition,
    files: Sequence[Path],
    rng: np.random.Generator,
) -> MadeVariant:
    for text in composition.texts:
        if reason := text.refuse(original):
            raise NotEligible(reason)
    content, steps = b"", list[Step]()
    if composition.pictures:
        picture = perturb_picture(_one_picture(files), composition.pictures, original, rng)
        content, steps = picture.content, [*picture.recipe]
    words = original.question.text
    for operation in composition.texts:
        words, step = operation.rewrite(original, words, rng)
        steps.append(step)
    if composition.texts:
        check_text(words, original, steps)
    recipe = json.dumps(steps, ensure_ascii=False, sort_keys=True)
    name = save_image(content, None) if content else ""
    return MadeVariant(replace(blank, recipe=recipe, text=words, image=name), content)


def _one_picture(files: Sequence[Path]) -> Path:
    if not files:
        raise NotEligible(NO_PICTURE)
    if len(files) > 1:
        raise NotEligible(SEVERAL_PICTURES)
    return files[0]
