"""A fact that a model proposed, with what came along with it."""

from dataclasses import dataclass, field

from kbe_graph.types import Fact


@dataclass(frozen=True, slots=True)
class ProposedFact(Fact):
    """A fact of a model: ``source`` is the model, ``source_ref`` the call.

    ``type`` is the object's type in a word; ``ok`` the model's own verdict, None where it gave none; ``draft`` a
    question that came along; ``prompt`` the hash of the prompt; ``grounding`` what the facts that are known say of it.
    """

    type: str = field(default="", compare=False)
    ok: bool | None = field(default=None, compare=False)
    draft: str = field(default="", compare=False)
    prompt: str = field(default="", compare=False)
    grounding: str = field(default="", compare=False)
