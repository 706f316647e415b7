"""Variants of a question with a changed picture, changed words, or both."""

import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.errors import InputError, PictureError
from kbe_graph.files.image import on_white, open_picture, save_image
from kbe_graph.perturb.eligible import NotEligible, Original, Step, TextOperation, VariantRejected, first_reason
from kbe_graph.perturb.picture_operations import CONTROL, PICTURE_OPERATIONS, PictureOperation
from kbe_graph.perturb.text_check import check_text
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.seeds import seed_of
from kbe_graph.types import QuestionVariant

if TYPE_CHECKING:
    from PIL import Image

BY_MODEL = ("add", "remove", "expand")
"""Picture operations that require a model, in the order in which they come before all others."""
METHODS: Mapping[str, str] = {
    "mdk12": "pad+invert+noise+style",
    "mdk12-text": "substitute+paraphrase",
    "vlb-v1": "add",
    "vlb-v2": "remove",
    "vlb-v3": "expand",
    "vlb-l1": "substitute",
    "vlb-l2": "paraphrase",
}
"""The methods of MDK12-Bench (Dynamic-K) and VLB, expressed by the operations of this package."""


class Composition(NamedTuple):
    """Operations that make one variant, in order of execution, pictures first; ``name`` is the requested name."""

    name: str
    pictures: tuple[PictureOperation, ...] = ()
    texts: tuple[TextOperation, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether the result depends on the seed."""
        return any(each.is_drawn for each in self.pictures) or any(each.is_drawn for each in self.texts)


def read_compositions(
    names: Sequence[str], pictures: Mapping[str, PictureOperation], texts: Mapping[str, TextOperation]
) -> list[Composition]:
    """Parse names such as ``pad``, ``pad+lead-in`` or ``mdk12`` to distinct compositions.

    Edits by a model come first, as the boxes of annotations hold for the original picture alone. Raises InputError as
    ``check_names``.

    >>> [composition.name for composition in read_compositions(["pad+noise"], PICTURE_OPERATIONS, {})]
    ['pad+noise']
    """
    check_names(names, pictures, texts)
    compositions = []
    for name in dict.fromkeys(names):
        parts = _parts(name)
        ordered = (*(part for part in BY_MODEL if part in parts), *(part for part in parts if part not in BY_MODEL))
        own = tuple(pictures[part] for part in ordered if part in pictures)
        compositions.append(Composition(name, own, tuple(texts[part] for part in parts if part in texts)))
    return compositions


def check_names(names: Sequence[str], pictures: Collection[str], texts: Collection[str]) -> None:
    """Raise InputError for a name with an unknown or repeated operation."""
    for name in names:
        parts = _parts(name)
        for part in parts:
            if part in BY_MODEL and part not in pictures:
                raise InputError(f"operation {part!r} needs a model; name one, or leave the operation out")
            if part not in pictures and part not in texts:
                every = ", ".join([*dict.fromkeys((*pictures, *BY_MODEL, *texts, *METHODS))])
                raise InputError(f"no operation {part!r}; choose from {every}; join several with '+', as in pad+noise")
        if len(set(parts)) < len(parts):
            raise InputError(f"{name!r} repeats an operation; name each once")


def operation_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names of all operations in ``names``, with methods resolved.

    >>> sorted(operation_names(["mdk12-text", "pad"]))
    ['pad', 'paraphrase', 'substitute']
    """
    return frozenset(operation for name in names for operation in _parts(name))


def methods_within(names: Collection[str]) -> tuple[str, ...]:
    """Return the methods whose operations are all in ``names``.

    >>> methods_within(["substitute", "paraphrase"])
    ('mdk12-text', 'vlb-l1', 'vlb-l2')
    """
    return tuple(method for method in METHODS if operation_names([method]) <= set(names))


def is_operation(name: str) -> bool:
    """Return True if a name denotes known operations, rule-based or by a model.

    >>> is_operation("pad+lead-in"), is_operation("blnd")
    (True, False)
    """
    return operation_names([name]) <= {*PICTURE_OPERATIONS, *BY_MODEL, *TEXT_OPERATIONS}


def _parts(name: str) -> list[str]:
    return [operation for part in name.split("+") for operation in METHODS.get(part, part).split("+")]


NO_PICTURE = "the picture was not found"
SEVERAL_PICTURES = "the question is about several pictures"
_LEAST_CHANGE = 4  # of a channel, out of 255; less is invisible in every pixel
_EFFORT = 1  # PNG compression level: a quarter of the default's time, and photos get equally small


def perturb_picture(
    file: Path, operations: Sequence[PictureOperation], original: Original, rng: np.random.Generator
) -> tuple[bytes, list[Step]]:
    """Draw and apply the operations in order, and return a PNG and the steps; the file itself stays unchanged.

    Raises NotEligible if the answer could change, VariantRejected if nothing changes, PictureError for an unreadable
    picture, and ResourceError for a missing extra.
    """
    for operation in operations:
        if reason := first_reason(original, *operation.topics):
            raise NotEligible(reason)
    with open_picture(file) as opened:
        picture, steps = on_white(opened), list[Step]()
    for operation in operations:
        fields, changed = operation.change(original, picture, rng)
        if operation.name != CONTROL and _is_same(picture, changed):
            raise VariantRejected("the change cannot be seen")
        steps.append({"operation": operation.name, **fields})
        picture = changed
    stream = io.BytesIO()
    picture.info.clear()  # drops the original's metadata
    picture.save(stream, "PNG", compress_level=_EFFORT)
    return stream.getvalue(), steps


def _is_same(before: "Image.Image", after: "Image.Image") -> bool:
    from PIL import ImageChops

    if before.size != after.size:
        return False
    highest = np.asarray(ImageChops.difference(before, after)).max()
    return bool(highest < _LEAST_CHANGE)


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
    try:
        return _made(blank, original, composition, files)
    except VariantRejected as error:
        return MadeVariant(replace(blank, status="rejected", reason=str(error)))
    except (NotEligible, PictureError) as error:
        reason = str(error) if isinstance(error, NotEligible) else "the picture cannot be read"
        return MadeVariant(replace(blank, status="refused", reason=reason))


def _made(blank: QuestionVariant, original: Original, composition: Composition, files: Sequence[Path]) -> MadeVariant:
    seed = seed_of("perturb", original.sample.id, composition.name, blank.seed)
    text, text_steps, rng = blank.text, list[Step](), np.random.default_rng(seed)
    for operation in composition.texts:
        text, step = operation.rewrite(original, text, rng)
        text_steps.append(step)
    if composition.texts:
        check_text(text, original)
    content, steps = b"", list[Step]()
    if composition.pictures:
        if len(files) != 1:
            raise NotEligible(SEVERAL_PICTURES if files else NO_PICTURE)
        content, steps = perturb_picture(files[0], composition.pictures, original, np.random.default_rng(seed))
    recipe = json.dumps([*steps, *text_steps], ensure_ascii=False, sort_keys=True)
    name = save_image(content, None) if content else ""
    return MadeVariant(replace(blank, recipe=recipe, text=text, image=name), content)
