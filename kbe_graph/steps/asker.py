"""Steps of the method, each a prompt, a form and a parser, and the asker that sends them to a model with images."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from kbe_graph.errors import NoCandidate, PictureError, ReplyError
from kbe_graph.models.request import Model, Reply, Request
from kbe_graph.steps.forms import ReplyForm, read_form
from kbe_graph.steps.prompt import Data, Turn, prompt_hash, render_prompt
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.text import on_one_line, quoted
from kbe_graph.types import Decision, Sample, Triplet

LONGEST_PART = 160  # characters of a name or a relation
NO_PICTURE = "no picture"
REPLY = "reply: "  # prefix of the reasons for unusable replies
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Step(Generic[T_co]):
    """Task for a model: its prompt's name, the form of the reply, its parser, and the values of the prompt.

    ``form`` is None for a plain-text reply. ``parse`` takes the form, or the text, and raises ValueError if it is
    unusable. ``max_tokens`` limits the reply, and ``sees_image`` is whether the image is sent.
    """

    name: str
    form: type[ReplyForm] | None
    parse: Callable[[Any], T_co]
    values: Mapping[str, Data]
    max_tokens: int
    sees_image: bool = True

    def turns(self, folder: Path | None = None) -> tuple[Turn, ...]:
        """Fill in the prompt, own or bundled; raises ResourceError if the values do not match its placeholders."""
        return render_prompt(self.name, folder, **self.values)

    def read(self, reply: StepReply) -> T_co:
        """Parse a reply; raises ReplyError."""
        try:
            return self.parse(read_form(self.form, reply) if self.form else reply.text)
        except ValueError as error:
            raise reply.error(str(error)) from None


def chain_text(key: Sequence[Triplet]) -> tuple[str, ...]:
    """Format each triplet of a key path for a prompt."""
    return tuple(map(triplet_text, key))


def triplet_text(triplet: Triplet) -> str:
    """Format a triplet for a prompt: ``(subject, relation, object)``."""
    parts = (triplet.subject.label, triplet.relation, triplet.object.label)
    return f"({', '.join(on_one_line(part, LONGEST_PART) for part in parts)})"


def numbered_lines(texts: Sequence[str]) -> dict[str, str]:
    """Assign numbers to texts, starting at 1."""
    return {str(number): text for number, text in enumerate(texts, 1)}


def labelled_lines(items: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """Assign numbers to items, starting at 1, with a line for each of their labels."""
    return {f"{number} {label}:": text for number, item in enumerate(items, 1) for label, text in item.items()}


def in_order(found: Mapping[int, T], count: int, missing: T) -> list[T]:
    """Order what a reply says of items 1 to ``count``.

    Raises ValueError if more than half are missing or a number is out of range, as the rest is then unreliable.
    """
    if 2 * len(found) < count or not set(found) <= set(range(1, count + 1)):
        raise ValueError(f"{count} asked for, found those numbered {sorted(found)!r}")
    return [found.get(number, missing) for number in range(1, count + 1)]


def all_yes(pairs: Iterable[tuple[int, bool]]) -> dict[int, bool]:
    """Collect numbered verdicts; one that is both yes and no is a no."""
    verdicts: dict[int, bool] = {}
    for number, ok in pairs:
        verdicts[number] = ok and verdicts.get(number, True)
    return verdicts


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

    ``find`` returns a sample's images, or nothing if one is missing; ``prompts`` is the folder of the user's own.
    """

    model: Model
    find: Callable[[Sample], Sequence[Path]]
    language: str = "English"
    prompts: Path | None = None

    async def ask(
        self, step: Step[T], sample: Sample | None = None, *, pictures: tuple[Path, ...] = ()
    ) -> tuple[T, ReplyOrigin]:
        """Send a step, and return the parsed reply and its origin; ``pictures`` replace the sample's images.

        Raises NoCandidate: with the reason ``reply: ...`` if the reply is unusable, and with ``no picture`` if the step
        needs an image that is missing or unreadable.
        """
        value, reply = await self.reply(step, sample, pictures=pictures)
        return value, ReplyOrigin(reply.model, reply.call, prompt_hash(step.name, self.prompts))

    async def reply(
        self, step: Step[T], sample: Sample | None = None, *, draw: int = 0, pictures: tuple[Path, ...] = ()
    ) -> tuple[T, Reply]:
        """Send a step, and return the parsed value and the raw reply; ``draw`` distinguishes repeats of a request.

        Raises NoCandidate like ``ask``.
        """
        read = lru_cache(1)(step.read)
        request = self.request(step, sample, draw=draw, pictures=pictures)
        try:
            reply = await self.model.ask(request, lambda reply: read(_step_reply(reply)))
            return read(_step_reply(reply)), reply
        except ReplyError as error:
            raise NoCandidate(f"{REPLY}{error.kind}", str(error)) from None
        except PictureError as error:
            raise NoCandidate(NO_PICTURE, str(error)) from None

    def request(
        self, step: Step[Any], sample: Sample | None = None, *, draw: int = 0, pictures: tuple[Path, ...] = ()
    ) -> Request:
        """Build the model request of a step; raises NoCandidate if a required image is missing."""
        return Request(
            step=step.name,
            messages=tuple((turn.role, turn.text) for turn in step.turns(self.prompts)),
            schema=schema_of(step.form) if step.form else None,
            images=pictures or (self._pictures(sample) if step.sees_image and sample is not None else ()),
            max_tokens=step.max_tokens,
            draw=draw,
        )

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
