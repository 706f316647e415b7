"""An operation changes the picture or the words of a question; a recipe is the steps that were drawn for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import KbeError
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

Step = Mapping[str, Any]
"""One operation as it was drawn: its name as ``operation``, and its parameters as plain JSON values."""


class NotEligible(KbeError):
    """A question that an operation cannot change and keep its answer; the message is the counted reason."""


class VariantRejected(KbeError):
    """A variant that was made and does not count, as a check refused it; the message is the counted reason."""


@dataclass(frozen=True, slots=True)
class Original:
    """A question as it was, with all that is known of its picture.

    ``objects`` are the things that annotations list, with their boxes, None where no annotation of objects was given;
    ``captions`` describe the picture, ``other_captions`` other pictures of the benchmark.

    >>> question = work.questions(run="raw")[0]
    >>> Original(work.samples()[0], question).accepted[0] == question.answer
    True
    """

    sample: Sample
    question: Question
    objects: tuple[Thing, ...] | None = None
    captions: tuple[str, ...] = ()
    other_captions: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """All answers that count as right: the gold one, its other names, and for a raw question those of people."""
        people = () if self.question.hop else self.sample.answers
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))


class Move(NamedTuple):
    """Where a point of a picture lies after an edit: ``scale`` times its place, plus ``offset``; pixels."""

    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)

    def box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return a box (left, top, right, bottom) as it lies after the edit.

        >>> Move(scale=(0.5, 0.5), offset=(10, 20)).box((0, 0, 100, 100))
        (10.0, 20.0, 60.0, 70.0)
        """
        (x, y), (right, down) = self.scale, self.offset
        return (box[0] * x + right, box[1] * y + down, box[2] * x + right, box[3] * y + down)


@dataclass(frozen=True, slots=True)
class Edited:
    """A picture after one step.

    ``changed`` is true where pixels may differ from before (height x width), None where all may; outside it every
    pixel is the same. ``move`` says where the content lies now, ``gone`` which objects were taken out, by their ids.
    """

    picture: "Image.Image"
    changed: "NDArray[np.bool_] | None" = None
    move: Move = field(default_factory=Move)
    gone: tuple[str, ...] = ()


class PictureOperation(Protocol):
    """A change of pixels."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def says(self) -> str:
        """One line for the help of the command line."""

    @property
    def is_exact(self) -> bool:
        """Whether the same content stands there afterwards, so that only the mechanical checks apply."""

    @property
    def is_drawn(self) -> bool:
        """Whether a seed decides anything."""

    @property
    def is_default(self) -> bool:
        """Whether nine of ten variants or more kept their answer when they were judged by eye."""

    @property
    def is_control(self) -> bool:
        """Whether the change need not be seen."""

    def refuse(self, original: Original) -> str:
        """Return why the answer could change, by the question and the annotations alone; empty where it may be done."""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:
        """Draw the parameters for an RGB picture; raises NotEligible, as where no object can be taken out."""

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the RGB picture after a step that was drawn; the same step gives the same pixels."""


class Rewritten(NamedTuple):
    """The words of a question after one step."""

    text: str
    step: Step


class TextOperation(Protocol):
    """A change of words."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def says(self) -> str:
        """One line for the help of the command line."""

    @property
    def is_drawn(self) -> bool:
        """Whether a seed decides anything."""

    @property
    def is_default(self) -> bool:
        """Whether nine of ten variants or more kept their answer when they were judged by eye."""

    def refuse(self, original: Original) -> str:
        """Return why the answer could change; empty where it may be done."""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Rewrite the text, which may have been rewritten before; raises NotEligible where no rule reaches it."""
