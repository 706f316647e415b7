"""Asks a model a step, and knows where a sample's picture is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kbe_graph.errors import InputError, NoCandidate, ReplyError
from kbe_graph.models.request import Model, Reply, Request
from kbe_graph.steps.answered import Answered
from kbe_graph.steps.ask import Ask
from kbe_graph.steps.forms import Form
from kbe_graph.types import Sample

T = TypeVar("T")


class Told(NamedTuple):
    """Where a value came from: the model's name and the hash of the call."""

    model: str
    call: str


@dataclass(frozen=True, slots=True)
class Asker:
    """A model with what every step needs: where pictures are, and the language of questions.

    ``find`` gives a sample's picture, None where there is none; ``most_tokens`` the most tokens of a step's reply where the
    user sets it (a model that thinks aloud needs more than the step itself).
    """

    model: Model
    find: Callable[[Sample], Path | None]
    language: str = "English"
    most_tokens: Callable[[str], int | None] = lambda _: None

    async def ask(self, ask: Ask, parse: Callable[[Answered], T], sample: Sample | None = None) -> tuple[T, Told]:
        """Return the parsed reply and where it came from.

        Raises NoCandidate with the reason ``reply: ...`` where no reply can be used, and InputError where the step looks at
        a picture that is not there.
        """
        request = self.request(ask, sample)
        try:
            reply = await self.model.ask(request, lambda reply: parse(_answered(reply)))
            return parse(_answered(reply)), Told(reply.model, reply.call)
        except ReplyError as error:
            raise NoCandidate(f"reply: {error.kind}", str(error)) from None

    def request(self, ask: Ask, sample: Sample | None = None, *, draw: int = 0) -> Request:
        """Return the request of a step; raises InputError where the step looks at a picture that is not there."""
        return Request(
            step=ask.step,
            messages=tuple((turn.role, turn.text) for turn in ask.turns),
            schema=schema_of(ask.form),
            images=(self._picture(sample),) if ask.sees_image and sample is not None else (),
            max_tokens=self.most_tokens(ask.step) or ask.max_tokens,
            draw=draw,
        )

    def _picture(self, sample: Sample) -> Path:
        found = self.find(sample)
        if found is None:
            raise InputError(f"no image {sample.image!r} of sample {sample.id!r}; name its folder with --images")
        return found


@cache
def schema_of(form: type[Form]) -> dict[str, Any]:
    """Return the JSON schema of a form."""
    return form.model_json_schema()


def _answered(reply: Reply) -> Answered:
    return Answered(reply.text, reply.finish)
