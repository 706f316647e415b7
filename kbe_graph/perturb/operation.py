"""Interfaces of operations that change the picture or words of a question; a recipe lists the steps drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import KbeError
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import numpy as np

Step = Mapping[str, Any]
"""One drawn operation: its name under ``operation``, and its parameters as plain JSON values."""


class NotEligible(KbeError):
    """A question that an operation cannot change without risk to its answer; the message is the counted reason."""


class VariantRejected(KbeError):
    """A finished variant that a check rejected; the message is the counted reason."""


@dataclass(frozen=True, slots=True)
class Original:
    """The unchanged question, with everything known about its picture.

    ``objects`` are the annotated objects with their boxes, None without annotations; ``captions`` describe the picture,
    ``other_captions`` other pictures of the benchmark.

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
        """All answers that count as right: the gold answer, its aliases, and annotators' answers to a raw question."""
        people = () if self.question.hop else self.sample.answers
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))


class Move(NamedTuple):
    """The new position of a point after an edit: ``scale`` times the old one, plus ``offset``; pixels."""

    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)

    def box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return a box (left, top, right, bottom) in its position after the edit.

        >>> Move(scale=(0.5, 0.5), offset=(10, 20)).box((0, 0, 100, 100))
        (10.0, 20.0, 60.0, 70.0)
        """
        (x, y), (right, down) = self.scale, self.offset
        return (box[0] * x + right, box[1] * y + down, box[2] * x + right, box[3] * y + down)


class Rewritten(NamedTuple):
    """The words of a question after one step."""

    text: str
    step: Step


class TextOperation:
    """A change of words; ``is_drawn`` and ``is_default`` are those of ``PictureOperation``."""

    name: str
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Explain why the answer could change; empty if the operation is allowed."""
        return ""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Rewrite a text that other steps may have rewritten already; raises NotEligible if no rule applies."""
        raise NotImplementedError
