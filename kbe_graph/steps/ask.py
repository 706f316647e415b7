"""What a step asks of a model, before it becomes a request to an endpoint."""

from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.forms import Form
from kbe_graph.steps.prompt import Turn, prompt_hash, rendered
from kbe_graph.steps.reply import plain, refused
from kbe_graph.types import Triplet

ECHOES = ("Question:", "Old question:", "Picture:", "Chain:", "New triplet:", "# This step", "## ")


class Ask(NamedTuple):
    """A rendered step: its turns, the form of the reply, whether the picture goes with it, and the longest reply."""

    step: str
    turns: tuple[Turn, ...]
    form: type[Form]
    sees_image: bool
    max_tokens: int

    @property
    def prompt(self) -> str:
        """The hash of the prompt, for a question's provenance."""
        return prompt_hash(self.step)


class Answered(NamedTuple):
    """A reply's text and why it ended (``stop``, ``length``)."""

    text: str
    finish: str = "stop"


def whole(answered: Answered) -> str:
    """Return the plain text of a reply that ended by itself; raises ReplyError where it was cut or declined."""
    if answered.finish == "length":
        raise ReplyError("the reply was cut", reply=answered.text)
    if refused(answered.text):
        raise ReplyError("the model declined", reply=answered.text)
    return plain(answered.text)


def ask(step: str, form: type[Form], *, sees_image: bool, max_tokens: int, **values: str) -> Ask:
    """Return the step with its prompt filled; raises ResourceError where the values are not those of the prompt."""
    return Ask(step, rendered(step, **values), form, sees_image, max_tokens)


def chain_text(key: tuple[Triplet, ...]) -> str:
    """Return a key path as the prompts show it."""
    return " ".join(triplet_text(triplet) for triplet in key)


def triplet_text(triplet: Triplet) -> str:
    """Return a triplet as the prompts show it."""
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label})"


def listed(texts: tuple[str, ...]) -> str:
    """Return texts as numbered lines from 1."""
    return "\n".join(f"{number} {text}" for number, text in enumerate(texts, 1))
