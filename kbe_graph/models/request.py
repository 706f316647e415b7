"""What is asked of a model and what comes back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol


class Usage(NamedTuple):
    """Tokens of a call: ``prompt`` in all, ``cached`` of them from the endpoint's prefix cache, ``output``."""

    prompt: int = 0
    cached: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One call to be made.

    ``step`` chooses the settings (``extract``, ``judge``); ``messages`` are (role, text) turns; ``images`` go before
    the text of the last turn, so that what comes before them is the same in every call of the step; ``schema`` is the
    JSON schema of the reply; ``max_tokens`` the most tokens of the reply where it is not the step's setting; ``draw``
    tells apart calls that are asked more than once on purpose.
    """

    step: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any] | None = None
    images: tuple[Path, ...] = ()
    max_tokens: int | None = None
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply; ``call`` is the hash that it is kept under, ``cached`` says that it was not paid for again."""

    text: str
    usage: Usage
    finish: str
    model: str
    call: str
    cached: bool = False


Check = Callable[[Reply], object]


class Model(Protocol):
    """What can be asked: an endpoint with its calls kept, a batch file, a double."""

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply.

        ``check`` is the step's parser, which raises ReplyError: what it refuses is kept apart as invalid and asked
        again. Raises ReplyError where this call has no usable reply, ReplyAwaited where it will come later,
        DatasetError for an image that cannot be read, and otherwise an error that ends the run (ConfigError,
        QuotaReached, BudgetReached, ModelUnavailable, or ModelError where the first calls of a step failed alike).
        """
