"""A request as it goes over the wire, and the hash that its call is kept under."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError
from kbe_graph.models.images import Images
from kbe_graph.models.picture_tokens import picture_tokens
from kbe_graph.models.request import Request, Usage
from kbe_graph.models.settings import Capabilities, ModelSettings

BYTES_A_TOKEN = 4.0  # of UTF-8: about right for English and for Chinese, too few tokens for little-used scripts
TOKENS_A_TURN = 4
BLOCK = 128  # tokens that a prefix is kept by
NAME = 64  # the longest name of a schema


class Call(NamedTuple):
    """A request with the settings of its step; ``key`` is the hash of both, with each image by its own hash."""

    key: str
    request: Request
    settings: ModelSettings

    def encode(self, images: Sequence[str], *, shift: int = 0, takes: Capabilities | None = None) -> bytes:
        """Return the body with these image addresses; see ``request_body``."""
        import orjson

        return orjson.dumps(request_body(self.request, self.settings, images, shift=shift, takes=takes))

    @property
    def most_tokens(self) -> int:
        """The most tokens of the reply."""
        return self.request.max_tokens or self.settings.max_tokens

    @property
    def worst_usage(self) -> Usage:
        """The most usage to expect: the estimated prompt, nothing of it cached, and the longest reply."""
        return Usage(prompt_tokens(self.request, self.settings), 0, self.most_tokens)


def call_of(request: Request, settings: ModelSettings, images: Images) -> Call:
    """Return the call of a request; raises DatasetError for a missing picture, ConfigError for one not taken."""
    import orjson

    if request.images and not settings.capabilities.images:
        raise ConfigError(
            f"step {request.step!r} sends pictures, which {settings.model!r} does not take; set another model"
        )
    names = [images.name(path, settings.encoding) for path in request.images]
    content: dict[str, Any] = {"body": request_body(request, settings, names), "draw": request.draw}
    if settings.revision:
        content["revision"] = settings.revision
    return Call(hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest(), request, settings)


def request_body(
    request: Request,
    settings: ModelSettings,
    images: Sequence[str],
    *,
    shift: int = 0,
    takes: Capabilities | None = None,
) -> dict[str, Any]:
    """Return the body of a chat completion, holding only fields that the endpoint takes.

    ``shift`` moves the seed, where a reply could not be used; ``takes`` is what the endpoint was found to take, where
    that is not what is set: what goes over the wire changes by it, not the hash that the call is kept under.
    """
    takes = takes or settings.capabilities
    fields: dict[str, Any] = {"model": settings.model, "messages": _messages(request, settings, images)}
    fields["max_completion_tokens" if takes.completion_tokens else "max_tokens"] = (
        request.max_tokens or settings.max_tokens
    )
    if takes.temperature:
        fields["temperature"] = settings.temperature
    if takes.seed:
        fields["seed"] = settings.seed + request.draw + shift
    if request.schema is not None and (takes.json_schema or takes.json_object):
        fields["response_format"] = _response_format(request.step, request.schema, takes)
    return fields | dict(settings.body)


def prompt_tokens(request: Request, settings: ModelSettings) -> int:
    """Return the estimated tokens of the prompt: four bytes a token, four a turn, and pictures by the model's rule."""
    text = _text_tokens(request.messages, _schema_bytes(request.schema)) + TOKENS_A_TURN
    picture = picture_tokens(settings.model, settings.image_side, settings.image_detail) if request.images else 0
    return text + len(request.images) * picture


def prefix_tokens(request: Request, settings: ModelSettings) -> int:
    """Return the estimated tokens of the beginning that a later call of the step need not pay in full for.

    That is what stands before the last turn, in blocks, and none where it is shorter than what the endpoint keeps or
    where a cached token costs no less.
    """
    price, tokens = settings.price, _text_tokens(request.messages[:-1])
    cheaper = price is not None and price.cached < price.input
    if not cheaper or not settings.cached_from or tokens < settings.cached_from:
        return 0
    return tokens // BLOCK * BLOCK


def _text_tokens(messages: Sequence[tuple[str, str]], more_bytes: int = 0) -> int:
    text = more_bytes + sum(len(text.encode()) for _, text in messages)
    return math.ceil(text / BYTES_A_TOKEN) + TOKENS_A_TURN * len(messages)


def _messages(request: Request, settings: ModelSettings, images: Sequence[str]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": role, "content": text} for role, text in request.messages]
    if images:
        detail = {"detail": settings.image_detail} if settings.image_detail else {}
        parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": url} | detail} for url in images]
        messages[-1]["content"] = [*parts, {"type": "text", "text": messages[-1]["content"]}]
    return messages


def _response_format(step: str, schema: Mapping[str, Any], takes: Capabilities) -> dict[str, Any]:
    if not takes.json_schema:
        return {"type": "json_object"}
    strict = {"strict": True} if takes.strict else {}
    return {"type": "json_schema", "json_schema": {"name": step[:NAME], "schema": schema} | strict}


def _schema_bytes(schema: Mapping[str, Any] | None) -> int:
    import orjson

    return len(orjson.dumps(schema)) if schema is not None else 0
