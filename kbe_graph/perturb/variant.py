"""Variants of a question with a changed picture, changed words, or both."""

import io
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.errors import InputError, PictureError
from kbe_graph.extras import has_extra
from kbe_graph.files.image import on_white, open_picture, save_image
from kbe_graph.perturb.eligible import NotEligible, Original, Step, TextOperation, VariantRejected, first_reason
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, STYLE, PictureOperation
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS, text_fault
from kbe_graph.types import CONTROL, QuestionVariant, seed_of

if TYPE_CHECKING:
    from PIL import Image

BY_MODEL = ("add", "expand")
"""Picture operations that require a model, in the order in which they come before all others."""
METHODS: Mapping[str, str] = {"mdk12": "pad+invert+noise+style", "mdk12-text": "substitute+paraphrase"}
"""The methods of MDK12-Bench (Dynamic-K), expressed by the operations of this package."""
OPERATIONS = (*PICTURE_OPERATIONS, *BY_MODEL, *TEXT_OPERATIONS)
"""The names of all operations."""


class Composition(NamedTuple):
    """Operations that make one variant, in order of execution, pictures first; ``name`` is the requested name."""

    name: str
    pictures: tuple[PictureOperation, ...] = ()
    texts: tuple[TextOperation, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether the result depends on the seed."""
        return any(each.is_drawn for each in self.pictures) or any(each.is_drawn for each in self.texts)


def check_operations(names: Sequence[str], *, by_model: bool) -> list[str]:
    """Check the names of operations, and return them; without any, all that need no model.

    These kept the answer in nine of ten variants, or more, when they were looked at; the one whose package is missing
    is left out, which a warning tells (KbeWarning). Raises InputError for an unknown or repeated operation, and for one
    that needs a model if there is none.

    >>> check_operations(["pad+lead-in", "mdk12"], by_model=False)
    ['pad+lead-in', 'mdk12']
    """
    for name in names:
        parts = operations_in(name)
        for part in parts:
            if part not in OPERATIONS:
                every = ", ".join((*OPERATIONS, *METHODS))
                raise InputError(f"no operation {part!r}; choose from {every}; join several with '+', as in pad+noise")
            if part in BY_MODEL and not by_model:
                raise InputError(f"operation {part!r} needs a model; name one, or leave the operation out")
        if len({*parts}) < len(parts):
            raise InputError(f"{name!r} repeats an operation; name each once")
    if names or has_extra("perturb"):
        return list(names or (*PICTURE_OPERATIONS, *TEXT_OPERATIONS))
    return [name for name in (*PICTURE_OPERATIONS, *TEXT_OPERATIONS) if name != STYLE]


def operations_in(name: str) -> list[str]:
    """Return the operations that a name joins, with those of a method in its place.

    >>> operations_in("mdk12-text+pad")
    ['substitute', 'paraphrase', 'pad']
    """
    return [operation for part in name.split("+") for operation in METHODS.get(part, part).split("+")]


def read_compositions(
    names: Sequence[str], pictures: Mapping[str, PictureOperation], texts: Mapping[str, TextOperation]
) -> list[Composition]:
    """Read checked names such as ``pad``, ``pad+lead-in`` or ``mdk12`` as distinct compositions.

    Edits by a model come first, as the boxes of annotations hold for the original picture alone.
    """
    compositions = []
    for name in dict.fromkeys(names):
        parts = operations_in(name)
        ordered = sorted(parts, key=[*BY_MODEL, *(part for part in parts if part not in BY_MODEL)].index)
        own = tuple(pictures[part] for part in ordered if part in pictures)
        compositions.append(Composition(name, own, tuple(texts[part] for part in parts if part in texts)))
    return compositions


NO_PICTURE = "the picture was not found"
SEVERAL_PICTURES = "the question is about several pictures"
_LEAST_CHANGE = 4  # of a channel, out of 255; less is invisible in every pixel
_DRAWS = 12  # of words that no other seed has
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
    text, text_steps = _words(original, composition, blank.seed)
    if composition.texts and (fault := text_fault(text, original)):
        raise VariantRejected(fault)
    content, steps = b"", list[Step]()
    if composition.pictures:
        if len(files) != 1:
            raise NotEligible(SEVERAL_PICTURES if files else NO_PICTURE)
        content, steps = perturb_picture(files[0], composition.pictures, original, np.random.default_rng(seed))
    recipe = json.dumps([*steps, *text_steps], ensure_ascii=False, sort_keys=True)
    name = save_image(content, None) if content else ""
    return MadeVariant(replace(blank, recipe=recipe, text=text, image=name), content)


def _words(original: Original, composition: Composition, seed: int) -> tuple[str, list[Step]]:
    """Rewrite a question so that no lower seed has the same words; raises NotEligible and VariantRejected."""
    taken: set[str] = set()
    for number in range(0 if composition.texts and not composition.pictures else seed, seed):
        with suppress(NotEligible, VariantRejected):
            taken.add(_drawn_words(original, composition, number, taken)[0])
    return _drawn_words(original, composition, seed, taken)


def _drawn_words(
    original: Original, composition: Composition, seed: int, taken: Collection[str]
) -> tuple[str, list[Step]]:
    rng = np.random.default_rng(seed_of("perturb", original.sample.id, composition.name, seed))
    for _ in range(_DRAWS):
        text, steps = original.question.text, list[Step]()
        for operation in composition.texts:
            text, step = operation.rewrite(original, text, rng)
            steps.append(step)
        if text not in taken:
            return text, steps
    raise VariantRejected("no words that another seed does not have")
