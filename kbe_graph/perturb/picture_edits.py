"""Picture operations by a model (VLB, V1 and V3): a picture, a mask and a prompt go to an ``images/edits`` endpoint.

The recipe names the reply, which is kept, so that no edit is paid for twice.
"""

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from kbe_graph.datasets.view import Box
from kbe_graph.english.inflect import article, lemmas, vocabulary
from kbe_graph.english.names import is_other_name
from kbe_graph.english.words import words
from kbe_graph.errors import ConfigError, PictureError, ReplyError
from kbe_graph.files.image import decode_base64, decode_picture, on_white
from kbe_graph.files.resources import data, prompt, rows
from kbe_graph.models import Budget, CallStore, DirectModel, ModelBook, Reply, Request
from kbe_graph.models.images import MaskedPicture
from kbe_graph.models.loop import BackgroundLoop
from kbe_graph.perturb.eligible import NotEligible, Original, Step, VariantRejected
from kbe_graph.perturb.picture_operations import Changed, PictureOperation

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

STEP = "edits"
MOST_TOKENS = 8000  # covers the largest picture at the best quality plus the input pictures, priced as output
NO_PLACE = (
    "no endpoint for picture edits; set base_url, model and key in [models.edits] of kbe.toml, as "
    'base_url = "https://api.openai.com/v1", model = "gpt-image-1", key = "$OPENAI_API_KEY"'
)
_SIZES = ((1024, 1024), (1536, 1024), (1024, 1536))  # those that all servers know
_LEAST_EDITED = 64  # pixels of a side
_GREY, _CANVAS = 127, 1.5  # of an extended scene: the colour to be painted over, and the size of each side
_RIM = 0.015  # share of the picture's width; covers the shadow and edge outside an object's box
_SIDES = (0.36, 0.28, 0.22, 0.17)  # of an added object: shares of the picture's shorter side, largest first
_HIGHEST_BOTTOM = 0.75  # share of the height; objects stand on the ground, in the lower part
_TRIED = 400  # places for an object of a size
_PEOPLE = frozenset(["who", "whom", "whose", "someone", "somebody", "anyone", "anybody", "everyone", "everybody"])

Edit = Callable[["Image.Image", "Image.Image", str], tuple[Step, "Image.Image"]]
"""Function that has the white part of a mask painted anew, and returns the recipe's fields and the whole painting."""
Hole = tuple[int, int, int, int]
"""Area of a picture in which an object is added: a box of whole pixels."""


@contextmanager
def picture_editor(book: ModelBook, calls: Path, *, budget: Budget | None = None) -> Iterator[Edit]:
    """Give a thread-safe function that asks the endpoint of ``[models.edits]``, and keeps the replies in ``calls``.

    The function raises ReplyError if an edit yields no usable picture; other errors end the run. Raises ConfigError if
    no endpoint is named.
    """
    if not book.has_place(STEP):
        raise ConfigError(NO_PLACE)
    sizes = _sizes(book.settings_for(STEP).body.get("size", "auto"))
    with closing(CallStore(calls)) as store, BackgroundLoop() as loop:
        model = DirectModel(book, store, budget=budget)

        def edit(picture: "Image.Image", mask: "Image.Image", words: str) -> "tuple[Step, Image.Image]":
            size = min(sizes, key=lambda size: abs(math.log(size[0] * picture.height / (size[1] * picture.width))))
            masked = MaskedPicture(picture.resize(size), mask.resize(size, 0))
            request = Request(STEP, (("user", words),), max_tokens=MOST_TOKENS, edit=masked)
            reply = loop.result(model.ask(request, partial(_check_size, size)))
            content, painted = _decoded(reply.text)
            sha256 = hashlib.sha256(content).hexdigest()
            step = {"prompt": words, "model": reply.model, "call": reply.call, "sha256": sha256}
            return step, painted.resize(picture.size)

        try:
            yield edit
        finally:
            loop.result(model.close())


def _sizes(size: object) -> Sequence[tuple[int, int]]:
    if size == "auto":
        return _SIZES
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", str(size))
    if match is None:
        raise ConfigError(f"[models.edits.body] size {size!r} is not a size; write it as 1024x1024, or leave it out")
    return ((int(match[1]), int(match[2])),)


def _check_size(size: tuple[int, int], reply: Reply) -> None:
    if (made := _decoded(reply.text)[1].size) != size:
        raise ReplyError(f"the picture of the reply is {made[0]}x{made[1]}, not {size[0]}x{size[1]}", reply="")


def _decoded(text: str) -> "tuple[bytes, Image.Image]":
    if text.startswith(("http://", "https://")):
        problem = "an address in place of a picture"
        raise ReplyError(f'{problem}; set response_format = "b64_json" in [models.edits.body]', reply="")
    try:
        content = decode_base64(text)
        with decode_picture(content, "the picture of the reply") as picture:
            return content, on_white(picture)
    except (ValueError, PictureError) as error:
        raise ReplyError(str(error), reply="") from None


def edit_operations(edit: Edit) -> Mapping[str, PictureOperation]:
    """Build the operations that use an endpoint, by name."""
    return {
        "add": PictureOperation(
            "add", partial(_add, edit), ("counting", "side", "lettering", "outstanding"), is_drawn=True
        ),
        "expand": PictureOperation("expand", partial(_expand, edit), ("counting", "side", "picture making")),
    }


def _add(edit: Edit, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
    from PIL import Image

    boxes = [thing.box for thing in original.objects if thing.box]
    if not boxes or len(boxes) < len(original.objects):
        raise NotEligible("no annotation tells where things are")
    targets = target_words(original)
    if not any(is_target(thing.name, targets) for thing in original.objects):
        raise NotEligible("no box of a thing that the question is about")
    things = unnamed_things(original)
    if not things:
        raise NotEligible("all things that could be added are named")
    name, aspect = things[int(rng.integers(len(things)))]
    box = free_place(picture.size, boxes, aspect, rng)
    if box is None:
        raise NotEligible("no place is free of things")
    mask = Image.new("L", picture.size)
    mask.paste(255, box)
    return _edited(edit, "add", picture, mask, {"name": name, "box": list(box)}, thing=article(name))


def _expand(edit: Edit, _: Original, picture: "Image.Image", __: "np.random.Generator") -> Changed:
    from PIL import Image

    x, y = (round(side * (_CANVAS - 1) / 2) for side in picture.size)
    size = picture.width + 2 * x, picture.height + 2 * y
    canvas, mask = Image.new("RGB", size, (_GREY,) * 3), Image.new("L", size, 255)
    canvas.paste(picture, (x, y))
    mask.paste(0, (x, y, x + picture.width, y + picture.height))
    return _edited(edit, "expand", canvas, mask, {"ratio": _CANVAS})


def _edited(edit: Edit, name: str, picture: "Image.Image", mask: "Image.Image", fields: Step, **words: str) -> Changed:
    from PIL import Image

    if min(picture.size) < _LEAST_EDITED:
        raise NotEligible("the picture is too small to be edited")
    try:
        step, painted = edit(picture, mask, Template(prompt(f"edits/{name}").strip()).substitute(words))
    except ReplyError as error:
        is_filtered = error.kind in {"filtered", "refused"}
        problem = "refuses the edit" if is_filtered else f"gives no picture of use ({error.kind})"
        raise VariantRejected(f"the endpoint {problem}") from None  # a refused variant would be paid again
    return Changed({**fields, **step}, Image.composite(painted, picture, mask))


def target_words(original: Original) -> frozenset[str]:
    """Return the lemmas of everything that a question is about: its text, answers, rationales and key."""
    sample, question = original.sample, original.question
    key = (end.name for triplet in question.key for end in (triplet.subject, triplet.object) if end.noun)
    texts = (question.text, sample.question, *original.accepted, sample.answer, *sample.choices, *sample.rationales)
    return frozenset(lemma for text in (*texts, *key) for lemma in (*lemmas(text), *_person_of(text)))


def _person_of(text: str) -> tuple[str, ...]:
    return () if vocabulary(text).isdisjoint(words("person words") | _PEOPLE) else ("person",)


@lru_cache(1 << 14)
def is_target(name: str, targets: frozenset[str]) -> bool:
    """Return True if a word may refer to a thing of this name: the same word, a synonym, or a more general one."""
    return any(is_other_name(target, name) for target in targets)


def unnamed_things(original: Original) -> list[tuple[str, float]]:
    """Return common objects, each with its width divided by its height, that the question has nothing to do with.

    Neither the question nor its answers nor the annotations name them, not even by their kind: if a question asks for
    an animal, no animal is left; if the picture has a ball, no ball.
    """
    shown = (lemma for thing in original.objects for lemma in lemmas(thing.name))
    named = target_words(original) | {*shown, *original.accepted, *original.sample.choices}
    table = rows(data("addable.tsv"), ("name", "aspect"))
    return [(name, float(aspect)) for _, (name, aspect) in table if not is_target(name, named)]


def free_place(size: tuple[int, int], boxes: Sequence[Box], aspect: float, rng: "np.random.Generator") -> Hole | None:
    """Draw a box of the given aspect that touches no other box, as large as fits; None if there is no room."""
    rim = round(size[0] * _RIM)
    for side in (share * min(size) for share in _SIDES):
        wide, high = min(size[0], round(side * aspect**0.5)), min(size[1], round(side / aspect**0.5))
        highest = max(0, round(size[1] * _HIGHEST_BOTTOM) - high)
        across = rng.integers(0, size[0] - wide, _TRIED, endpoint=True)
        down = rng.integers(highest, size[1] - high, _TRIED, endpoint=True)
        for x, y in zip(map(int, across), map(int, down), strict=True):
            around = x - rim, y - rim, x + wide + rim, y + high + rim
            if not any(_shared(around, box) for box in boxes):
                return x, y, x + wide, y + high
    return None


def _shared(box: Box, other: Box) -> float:
    width, height = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    return max(0, width) * max(0, height)
