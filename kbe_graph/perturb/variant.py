"""Variants of a question with a changed picture, changed words, or both."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kbe_graph.errors import PictureError
from kbe_graph.files.image import save_image
from kbe_graph.perturb.methods import Composition
from kbe_graph.perturb.operation import NotEligible, Original, Step, VariantRejected
from kbe_graph.perturb.picture_recipe import perturb_picture
from kbe_graph.perturb.text_check import check_text
from kbe_graph.seeds import seed_of
from kbe_graph.types import QuestionVariant

NO_PICTURE = "the picture was not found"
SEVERAL_PICTURES = "the question is about several pictures"


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
