"""Picture operations by a model (VLB, V1 to V3): a picture, a mask and a prompt go to an ``images/edits`` endpoint.

The recipe names the reply, which is kept, so that no edit is paid for twice.
"""

import hashlib
import io
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Self

from kbe_graph.english.inflect import article
from kbe_graph.errors import ConfigError, NoCandidate, PictureError, ReplyError
from kbe_graph.files.image import decode_base64, on_white, require_picture
from kbe_graph.files.resources import prompt
from kbe_graph.forms.paraphrase import ModelParaphraser
from kbe_graph.models import Budget, CallStore, DirectModel, ModelBook, Reply, Request
from kbe_graph.models.images import MaskedPicture
from kbe_graph.models.loop import BackgroundLoop, gather_all
from kbe_graph.perturb.eligible import (
    Move,
    NotEligible,
    Original,
    Rewritten,
    Step,
    TextOperation,
    first_reason,
    free_place,
    is_target_known,
    removable,
    unnamed_things,
)
from kbe_graph.perturb.picture_operations import Changed, PictureOperation
from kbe_graph.perturb.text_check import CONTEXT, guarded
from kbe_graph.perturb.text_operations import IrrelevantContext, ParaphraseByRule, RelevantContext
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.tasks import context_step
from kbe_graph.text import on_one_line

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
_GREY = 127
_LEAST_SIDE = 64  # pixels; smaller pictures cannot be edited
_LONGEST_NAME = 60  # maximum characters of an object's name in a prompt
_CANVAS = 1.5  # times each side
_FILTERED = ("filtered", "refused")
_STAYS = Move()
_NO_BOXES = "no annotation tells where things are"
_OF_SCENE = re.compile(
    r"\b(unusual|odd|strange|weird|wrong|out of place|foreground|background|closest|nearest|largest|biggest|smallest"
    r"|tallest|main|on the (ground|floor|table)|where|room|place|location|indoors?|inside|outdoors?|outside|out of)\b",
    re.IGNORECASE,
)


class EndpointEditor:
    """The endpoint of ``[models.edits]``, a thread-safe context manager; no edit is paid for twice.

    ``book`` has the settings, ``calls`` is the file of kept calls. Raises ConfigError if no endpoint is named.
    """

    def __init__(self, book: ModelBook, calls: Path, *, budget: Budget | None = None) -> None:
        if not book.has_place(STEP):
            raise ConfigError(NO_PLACE)
        self._sizes = _sizes(book.settings_for(STEP).body.get("size", "auto"))
        self._store = CallStore(calls)  # separate, because it belongs to the background loop
        self._model = DirectModel(book, self._store, budget=budget)
        self._loop = BackgroundLoop()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.callback(self._store.close)
        self._stack.enter_context(self._loop)
        self._stack.callback(lambda: self._loop.result(self._model.close()))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def edit(self, picture: "Image.Image", mask: "Image.Image", words: str) -> tuple[Step, "Image.Image"]:
        """Have the part of an RGB picture that is white in ``mask`` painted anew.

        Returns the fields of the recipe, and the painted picture in the size of the original. Raises ReplyError if this
        edit yields no usable picture; other errors end the run.
        """
        size = min(self._sizes, key=lambda size: abs(math.log(size[0] * picture.height / (size[1] * picture.width))))
        masked = MaskedPicture(picture.resize(size), mask.resize(size, 0))
        request = Request(STEP, (("user", words),), max_tokens=MOST_TOKENS, edit=masked)

        def check(reply: Reply) -> None:
            if (made := _decoded(reply.text)[1].size) != size:
                raise ReplyError(f"the picture of the reply is {made[0]}x{made[1]}, not {masked.size}", reply="")

        reply = self._loop.result(self._model.ask(request, check))
        content, painted = _decoded(reply.text)
        sha256 = hashlib.sha256(content).hexdigest()
        step = {"prompt": words, "model": reply.model, "call": reply.call, "sha256": sha256}
        return step, painted.resize(picture.size)


def _sizes(size: object) -> Sequence[tuple[int, int]]:
    if size == "auto":
        return _SIZES
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", str(size))
    if match is None:
        raise ConfigError(f"[models.edits.body] size {size!r} is not a size; write it as 1024x1024, or leave it out")
    return ((int(match[1]), int(match[2])),)


def _decoded(text: str) -> "tuple[bytes, Image.Image]":
    from PIL import Image

    if text.startswith(("http://", "https://")):
        problem = "an address in place of a picture"
        raise ReplyError(f'{problem}; set response_format = "b64_json" in [models.edits.body]', reply="")
    try:
        content = decode_base64(text)
        require_picture(content, "the picture of the reply")
    except (ValueError, PictureError) as error:
        raise ReplyError(str(error), reply="") from None
    with Image.open(io.BytesIO(content)) as picture:
        return content, on_white(picture)


class _ByModel(PictureOperation):
    """An operation by a model, with the picture's own pixels outside of the mask."""

    is_default = False

    def __init__(self, editor: EndpointEditor) -> None:
        self._editor = editor

    def _in_box(self, picture: "Image.Image", fields: Mapping[str, Any], thing: str) -> Changed:
        from PIL import Image

        mask = Image.new("L", picture.size)
        mask.paste(255, tuple(fields["box"]))
        return self._ask(picture, mask, fields, thing=thing)

    def _ask(
        self, picture: "Image.Image", mask: "Image.Image", fields: Mapping[str, Any], move: Move = _STAYS, **words: str
    ) -> Changed:
        from PIL import Image

        if min(picture.size) < _LEAST_SIDE:
            raise NotEligible("the picture is too small to be edited")
        text = Template(prompt(f"edits/{self.name}").strip()).substitute(words)
        try:
            step, painted = self._editor.edit(picture, mask, text)
        except ReplyError as error:
            if error.kind in _FILTERED:
                raise NotEligible("the endpoint refuses the edit") from None
            raise NotEligible(f"the endpoint gives no picture of use ({error.kind})") from None
        whole = Image.composite(painted, picture, mask)
        gone = tuple(filter(None, [fields.get("object")]))
        return Changed({"operation": self.name, **fields, **step}, whole, move, gone)


class Add(_ByModel):
    """Addition of a common object in a place without boxes."""

    name = "add"
    is_drawn = True
    topics = ("counting", "side", "lettering")

    def refuse(self, original: Original) -> str:
        """Explain why nothing may be added, such as objects that are counted or lack boxes; empty if allowed."""
        if reason := first_reason(original, *self.topics):
            return reason
        if _OF_SCENE.search(original.question.text):
            return "the scene, or a thing that stands out, is asked for"
        if not original.objects or not all(thing.box for thing in original.objects):
            return _NO_BOXES
        return "" if is_target_known(original) else "no box of a thing that the question is about"

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
        """Draw an object and its place, and have the model add it; raises NotEligible."""
        things = unnamed_things(original)
        if not things:
            raise NotEligible("all things that could be added are named")
        thing = things[int(rng.integers(len(things)))]
        boxes = [shown.box for shown in original.objects or () if shown.box]
        box = free_place(picture.size, boxes, thing.aspect, rng)
        if box is None:
            raise NotEligible("no place is free of things")
        return self._in_box(picture, {"name": thing.name, "box": list(box)}, article(thing.name))


class Remove(_ByModel):
    """Removal of an object that is irrelevant to the question."""

    name = "remove"
    is_drawn = True
    topics = ("counting", "scene")

    def refuse(self, original: Original) -> str:
        """Explain why all objects must stay: they are counted, all are relevant, or have no boxes; empty if allowed."""
        has_box = any(thing.box for thing in original.objects or ())
        return super().refuse(original) or ("" if has_box else _NO_BOXES)

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
        """Draw an object, and have the model remove it; raises NotEligible."""
        things = removable(original, picture.size)
        if not things:
            raise NotEligible("nothing stands alone that can be taken out")
        thing, hole = things[int(rng.integers(len(things)))]
        fields = {"object": thing.id, "name": thing.name, "box": list(hole)}
        return self._in_box(picture, fields, f"the {on_one_line(thing.name, _LONGEST_NAME)}")


class Expand(_ByModel):
    """Extension of the scene: the picture stays unchanged in the middle of a canvas 1.5 times its size."""

    name = "expand"
    topics = ("counting", "side", "picture making")

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Have the model paint the rim of the canvas; there are no random parameters. Raises NotEligible."""
        from PIL import Image

        x, y = (round(side * (_CANVAS - 1) / 2) for side in picture.size)
        size = picture.width + 2 * x, picture.height + 2 * y
        canvas, mask = Image.new("RGB", size, (_GREY,) * 3), Image.new("L", size, 255)
        canvas.paste(picture, (x, y))
        mask.paste(0, (x, y, x + picture.width, y + picture.height))
        return self._ask(canvas, mask, {"ratio": _CANVAS}, Move(offset=(x, y)))


def operations_by_model(editor: EndpointEditor) -> Mapping[str, PictureOperation]:
    """Build the operations that use an editor, by name."""
    return {operation.name: operation for operation in (Add(editor), Remove(editor), Expand(editor))}


Write = Callable[[Original], Awaitable[Step]]
STEPS: Mapping[str, str] = {
    ParaphraseByRule.name: "paraphrase",
    RelevantContext.name: "context_relevant",
    IrrelevantContext.name: "context_irrelevant",
}
"""The steps of the method, by operation."""


@dataclass(frozen=True, slots=True)
class WordsByModel(TextOperation):
    """An operation with the steps that a model wrote, by question id; ``faults`` holds the reasons for missing ones."""

    name: str
    steps: Mapping[str, Step]
    faults: Mapping[str, str]
    is_drawn: bool = False
    is_default: bool = False

    def refuse(self, original: Original) -> str:
        """Explain why the model's words were unusable; empty if they were usable."""
        return self.faults.get(original.question.id, "")

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Use the model's words, or put its context before a text already rewritten; raises NotEligible."""
        del rng
        step = self.steps.get(original.question.id)
        if step is None:
            raise NotEligible("the model gave no words")
        if CONTEXT in step:
            return Rewritten(f"{step[CONTEXT]} {text}", step)
        if text != original.question.text:
            raise NotEligible("a model paraphrases the question itself; name paraphrase first")
        return Rewritten(step["text"], step)


async def ask_words(asker: Asker, name: str, originals: Sequence[Original]) -> WordsByModel:
    """Have a model write the words of an operation for all questions, recording why some have none."""
    steps, faults = dict[str, Step](), dict[str, str]()
    write = _writer(asker, name)

    async def ask(original: Original) -> None:
        try:
            steps[original.question.id] = await write(original)
        except NoCandidate as reason:
            faults[original.question.id] = reason.reason

    await gather_all(map(ask, originals))
    return WordsByModel(name, steps, faults)


def _writer(asker: Asker, name: str) -> Write:
    paraphraser = ModelParaphraser(asker)

    async def paraphrase(original: Original) -> Step:
        again = await paraphraser(original.question.text, tuple(guarded(original)))
        return {"operation": name, "text": again.text, "maker": again.rule}

    async def context(original: Original) -> Step:
        question = original.question
        values = question.text, question.answer, original.accepted
        step = context_step(*values, is_relevant=name == RelevantContext.name, language=asker.language)
        sentence, origin = await asker.ask(step, original.sample)
        return {"operation": name, CONTEXT: sentence, "maker": f"model {origin.model}", "call": origin.call}

    return paraphrase if name == ParaphraseByRule.name else context
