"""Requests for the method's steps, sent to a model with each sample's image."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kbe_graph.errors import NoCandidate, PictureError, ReplyError
from kbe_graph.models.request import Model, Reply, Request
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import ReplyForm
from kbe_graph.steps.prompt import PACKAGED, Data, PromptBook, Turn, prompt_hash, render_prompt
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types import Decision, Sample, Triplet

LONGEST_PART = 160  # characters of a name or a relation


class StepRequest(NamedTuple):
    """Request of a step: the values for its prompt, the reply form, and whether the image is sent.

    ``form`` is None for a plain-text reply; ``max_tokens`` limits the reply.
    """

    step: str
    values: Mapping[str, Data]
    form: type[ReplyForm] | None
    sees_image: bool
    max_tokens: int

    def turns(self, book: PromptBook = PACKAGED) -> tuple[Turn, ...]:
        """Fill in the prompt; raises ResourceError if the values do not match its placeholders."""
        return render_prompt(self.step, book, **self.values)


def step_request(
    step: str, form: type[ReplyForm] | None, *, sees_image: bool, max_tokens: int, **values: Data
) -> StepRequest:
    """Build a step's request from the values for its prompt."""
    return StepRequest(step, values, form, sees_image, max_tokens)


def chain_text(key: tuple[Triplet, ...]) -> tuple[str, ...]:
    """Format each triplet of a key path for a prompt."""
    return tuple(map(triplet_text, key))


def triplet_text(triplet: Triplet) -> str:
    """Format a triplet for a prompt: ``(subject, relation, object)``."""
    parts = (triplet.subject.label, triplet.relation, triplet.object.label)
    return f"({', '.join(on_one_line(part, LONGEST_PART) for part in parts)})"


def numbered_lines(texts: tuple[str, ...]) -> dict[str, str]:
    """Assign numbers to texts, starting at 1."""
    return {str(number): text for number, text in enumerate(texts, 1)}


T = TypeVar("T")
NO_PICTURE = "no picture"
REPLY = "reply: "  # prefix of the reasons for unusable replies


def refusal_of_reply(none: NoCandidate) -> Decision:
    """Turn an unusable reply into the rejection of its candidate."""
    return Decision(keep=False, reason=none.reason, detail=none.detail)


def is_technical(reason: str) -> bool:
    """Return True if a sample or hop was dropped because of a reply or image, which may be available next time."""
    return reason == NO_PICTURE or reason.startswith(REPLY)


class ReplyOrigin(NamedTuple):
    """Origin of a value: the model's name and the hashes of the call and the prompt."""

    model: str
    call: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Asker:
    """Sender of steps to a model, with images, prompts and the language of the questions.

    ``find`` returns a sample's images, or nothing if one is missing. ``most_tokens`` returns the user's reply limit for
    a step, if set: a reasoning model needs more tokens than the step itself.
    """

    model: Model
    find: Callable[[Sample], Sequence[Path]]
    language: str = "English"
    most_tokens: Callable[[str], int | None] = lambda _: None
    prompts: PromptBook = PACKAGED

    async def ask(
        self,
        step: StepRequest,
        parse: Callable[[StepReply], T],
        sample: Sample | None = None,
        *,
        pictures: tuple[Path, ...] = (),
    ) -> tuple[T, ReplyOrigin]:
        """Send a step, and return the parsed reply and its origin; ``pictures`` replace the sample's images.

        Raises NoCandidate: with the reason ``reply: ...`` if the reply is unusable, and with ``no picture`` if the step
        needs an image that is missing or unreadable.
        """
        value, reply = await self.reply(step, parse, sample, pictures=pictures)
        return value, ReplyOrigin(reply.model, reply.call, prompt_hash(step.step, self.prompts))

    async def reply(
        self,
        step: StepRequest,
        parse: Callable[[StepReply], T],
        sample: Sample | None = None,
        *,
        draw: int = 0,
        pictures: tuple[Path, ...] = (),
    ) -> tuple[T, Reply]:
        """Send a step, and return the parsed value and the raw reply; ``draw`` distinguishes repeats of a request.

        Raises NoCandidate like ``ask``.
        """
        parse_once = lru_cache(1)(parse)
        request = self.request(step, sample, draw=draw, pictures=pictures)
        try:
            reply = await self.model.ask(request, lambda reply: parse_once(_step_reply(reply)))
            return parse_once(_step_reply(reply)), reply
        except ReplyError as error:
            raise NoCandidate(f"{REPLY}{error.kind}", str(error)) from None
        except PictureError as error:
            raise NoCandidate(NO_PICTURE, str(error)) from None

    def request(
        self, step: StepRequest, sample: Sample | None = None, *, draw: int = 0, pictures: tuple[Path, ...] = ()
    ) -> Request:
        """Build the model request of a step; raises NoCandidate if a required image is missing."""
        return Request(
            step=step.step,
            messages=tuple((turn.role, turn.text) for turn in step.turns(self.prompts)),
            schema=schema_of(step.form) if step.form else None,
            images=pictures or (self._pictures(sample) if step.sees_image and sample is not None else ()),
            max_tokens=self.most_tokens(step.step) or step.max_tokens,
            draw=draw,
        )

    def examples(self, step: str) -> Examples:
        """Read the triplets and questions in the examples of a step's prompt."""
        return examples(step, self.prompts)

    def _pictures(self, sample: Sample) -> tuple[Path, ...]:
        pictures = tuple(self.find(sample))
        if not pictures:
            names = quoted(sample.images)
            raise NoCandidate(NO_PICTURE, f"no image {names} in the image folders; add the folder that has it")
        return pictures


@cache
def schema_of(form: type[ReplyForm]) -> dict[str, Any]:
    """Build the JSON schema of a form, with nested forms named by their titles."""
    schema = form.model_json_schema()
    text = json.dumps(schema)
    for name, part in schema.get("$defs", {}).items():
        text = re.sub(rf"\b{name}\b", part["title"], text)
    titled: dict[str, Any] = json.loads(text)
    return titled


def _step_reply(reply: Reply) -> StepReply:
    return StepReply(reply.text, reply.finish)
