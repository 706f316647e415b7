"""Picture operations by a model: adding or removing an object, and extending the scene (VLB, V1 to V3).

The model is called when a step is drawn, so that the recipe records the hash of its picture; applying the step uses the
kept picture.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import Template
from typing import TYPE_CHECKING

from kbe_graph.english.inflect import article
from kbe_graph.errors import ReplyError
from kbe_graph.files.resources import prompt
from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Move, NotEligible, Original, PictureOperation, Step
from kbe_graph.perturb.pictures.addition import free_place, is_target_known, unnamed_things
from kbe_graph.perturb.pictures.model_edit import GREY, ModelEdit, PictureEditor, feather_of, paste_back, verified
from kbe_graph.perturb.pictures.remove import Remove
from kbe_graph.text import on_one_line

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_LONGEST_NAME = 60  # maximum characters of an object's name in a prompt
_LEAST_SIDE = 64  # pixels; smaller pictures cannot be edited
_CANVAS = 1.5  # times each side
_OVERLAP, _SEAM = 10, 3  # pixels, for a picture whose shorter side is 640
_FILTERED = ("filtered", "refused")
_OF_SCENE = re.compile(
    r"\b(unusual|odd|strange|weird|wrong|out of place|foreground|background|closest|nearest|largest|biggest|smallest"
    r"|tallest|main|on the (ground|floor|table)|where|room|place|location|indoors?|inside|outdoors?|outside|out of)\b",
    re.IGNORECASE,
)


def operations_by_model(editor: PictureEditor) -> Mapping[str, PictureOperation]:
    """Build the operations that use an editor, by name; ``remove`` also applies rule-based steps."""
    operations: tuple[PictureOperation, ...] = (Add(editor), Expand(editor), RemoveByModel(editor))
    return {operation.name: operation for operation in operations}


class Add:
    """Addition of a common object in a place without boxes."""

    name = "add"
    says = "a common thing that nothing speaks of, put by a model where no box is; off by default: not judged"
    is_exact = False
    is_drawn = True
    is_default = False
    is_control = False

    def __init__(self, editor: PictureEditor) -> None:
        self._editor = editor

    def refuse(self, original: Original) -> str:
        """Explain why nothing may be added, such as objects that are counted or lack boxes; empty if allowed."""
        if reason := first_reason(original, "counting", "side", "lettering"):
            return reason
        if _OF_SCENE.search(original.question.text):
            return "the scene, or a thing that stands out, is asked for"
        if not original.objects or not all(thing.box for thing in original.objects):
            return "no annotation tells where things are"
        if not is_target_known(original):
            return "no box of a thing that the question is about"
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:
        """Draw an object and its place, and have the model add it; raises NotEligible."""
        _require_side(picture)
        things = unnamed_things(original)
        if not things:
            raise NotEligible("all things that could be added are named")
        thing = things[int(rng.integers(len(things)))]
        boxes = [shown.box for shown in original.objects or () if shown.box]
        box = free_place(picture.size, boxes, thing.aspect, rng)
        if box is None:
            raise NotEligible("no place is free of things")
        words = _words("edits/add", thing=article(thing.name))
        step = {"operation": self.name, "name": thing.name, "box": list(box), "prompt": words}
        return _draw(self._editor, _edit_in(picture, box, words), step)

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture with the object; raises ResourceError if the model's picture is not kept."""
        return _edited(self._editor, _edit_in(picture, step["box"], step["prompt"]), step)


class Expand:
    """Extension of the scene: the picture stays unchanged in the middle of a canvas 1.5 times its size."""

    name = "expand"
    says = "the scene painted on by a model, to 1.5 times each side; off by default: not judged"
    is_exact = False
    is_drawn = False
    is_default = False
    is_control = False

    def __init__(self, editor: PictureEditor) -> None:
        self._editor = editor

    def refuse(self, original: Original) -> str:
        """Explain why the frame must stay, for example because a place in it is asked for; empty if allowed."""
        return first_reason(original, "counting", "side", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Have the model paint the canvas; there are no random parameters. Raises NotEligible."""
        _require_side(picture)
        step: Step = {"operation": self.name, "ratio": _CANVAS, "prompt": _words("edits/expand")}
        edit, _ = _edit_around(picture, step)
        return _draw(self._editor, edit, step)

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the canvas with the picture; raises ResourceError if the model's picture is not kept."""
        edit, move = _edit_around(picture, step)
        return replace(_edited(self._editor, edit, step), move=move)


class RemoveByModel:
    """Removal of an object chosen like in ``Remove``; a model fills its place."""

    name = "remove"
    says = "a thing that the question is not about taken out by a model; off by default: not judged"
    is_exact = False
    is_drawn = True
    is_default = False
    is_control = False

    def __init__(self, editor: PictureEditor) -> None:
        self._editor, self._rule = editor, Remove()

    def refuse(self, original: Original) -> str:
        """Explain why nothing may be removed, by the check of ``Remove``; empty if allowed."""
        return self._rule.refuse(original)

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:
        """Draw an object, and have the model remove it; raises NotEligible."""
        _require_side(picture)
        step = dict(self._rule.draw(original, picture, rng))
        step["prompt"] = _words("edits/remove", thing=f"the {on_one_line(step['name'], _LONGEST_NAME)}")
        return _draw(self._editor, _edit_in(picture, step["hole"], step["prompt"]), step)

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture without the object; a rule-based step is applied by rule."""
        if "call" not in step:
            return self._rule.apply(picture, step)
        edit = _edit_in(picture, step["hole"], step["prompt"])
        return replace(_edited(self._editor, edit, step), gone=(step["object"],))


def _require_side(picture: "Image.Image") -> None:
    if min(picture.size) < _LEAST_SIDE:
        raise NotEligible("the picture is too small to be edited")


def _words(name: str, **values: str) -> str:
    return Template(prompt(name).strip()).substitute(values)


def _draw(editor: PictureEditor, edit: ModelEdit, step: Step) -> Step:
    """Call the model for an edit, and add its reply to the step; raises NotEligible without a usable picture."""
    try:
        return {**step, **editor.edit(edit).as_step()}
    except ReplyError as error:
        if error.kind in _FILTERED:
            raise NotEligible("the endpoint refuses the edit") from None
        raise NotEligible(f"the endpoint gives no picture of use ({error.kind})") from None


def _edited(editor: PictureEditor, edit: ModelEdit, step: Step) -> Edited:
    content = verified(editor.kept(step["call"]), step["sha256"], step["call"])
    return Edited(*paste_back(edit, content))


def _edit_in(picture: "Image.Image", box: Sequence[int], words: str) -> ModelEdit:
    x, y, right, bottom = box
    return ModelEdit(picture, (x, y, right, bottom), words, feather=feather_of(picture, _SEAM))


def _edit_around(picture: "Image.Image", step: Step) -> tuple[ModelEdit, Move]:
    """Return the edit of a canvas around the picture, whose rim is painted over, and the picture's position in it."""
    from PIL import Image

    width, height = picture.size
    x, y = (round(side * (step["ratio"] - 1) / 2) for side in picture.size)
    canvas = Image.new("RGB", (width + 2 * x, height + 2 * y), (GREY,) * 3)
    canvas.paste(picture, (x, y))
    rim = feather_of(picture, _OVERLAP)
    inner = x + rim, y + rim, x + width - rim, y + height - rim
    edit = ModelEdit(canvas, inner, step["prompt"], outside=True, feather=feather_of(picture, _SEAM))
    return edit, Move(offset=(x, y))
