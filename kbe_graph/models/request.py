"""A request to a model, its reply, the body that goes over the wire, and the hash that its call is kept under."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kbe_graph.errors import ConfigError
from kbe_graph.models.catalogue import Usage, picture_tokens
from kbe_graph.models.completion import MOST_BYTES, WholeReply, read_completion
from kbe_graph.models.images import Images
from kbe_graph.models.picture_edit import EDITS, MOST_PICTURE_BYTES, MaskedPicture, encode_form, read_edit
from kbe_graph.models.settings import Capabilities, ModelSettings


@dataclass(frozen=True, slots=True)
class Request:
    """One call to be made.

    ``step`` chooses the settings (``extract``, ``judge``); ``messages`` are (role, text) turns. ``images`` go before
    the text of the last turn, so that the beginning is the same in every call of the step. ``schema`` is the JSON
    schema of the reply, ``max_tokens`` its most tokens if that is not the step's setting. ``draw`` tells apart calls
    that are made more than once on purpose. With an ``edit`` it is a change of that picture, as the last turn says.
    """

    step: str
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any] | None = None
    images: tuple[Path, ...] = ()
    max_tokens: int | None = None
    draw: int = 0
    edit: MaskedPicture | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply; ``call`` is the hash that it is kept under, ``cached`` means that it was not paid for again."""

    text: str
    usage: Usage
    finish: str
    model: str
    call: str
    cached: bool = False


Check = Callable[[Reply], object]


class Model(Protocol):
    """A model to ask: an endpoint with its calls kept, a batch file, a double."""

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply.

        ``check`` is the step's parser, which raises ReplyError: a reply that it refuses is kept apart as invalid, and
        asked for again. Raises ReplyError if this call has no usable reply, ReplyAwaited if it will come later,
        DatasetError for an image that cannot be read, and otherwise an error that ends the run (ConfigError,
        QuotaReached, BudgetReached, ModelUnavailable, or ModelError if the first calls of a step failed alike).
        """


BYTES_A_TOKEN = 4.0  # of UTF-8: about right for English and for Chinese, too few tokens for little-used scripts
TOKENS_A_TURN = 4
PREFIX_BLOCK = 128  # tokens that a prefix is kept by
LONGEST_NAME = 64  # the longest name of a schema


class Route(NamedTuple):
    """Where a body goes, after the base URL; its type, and the most bytes of an answer."""

    path: str = "chat/completions"
    content_type: str = "application/json"
    most: int = MOST_BYTES


CHAT = Route()


class Call(NamedTuple):
    """A request with the settings of its step; ``key`` is the hash of both, with each image by its own hash."""

    key: str
    request: Request
    settings: ModelSettings

    def encode(self, images: Sequence[str], *, shift: int = 0, takes: Capabilities | None = None) -> bytes:
        """Encode the body with these image addresses; see ``request_body``. That of an edit is a form."""
        import orjson

        if edit := self.request.edit:
            return encode_form(edit_fields(self.request, self.settings), edit.files(), self.route.content_type)
        return orjson.dumps(request_body(self.request, self.settings, images, shift=shift, takes=takes))

    def read(self, raw: bytes) -> WholeReply:
        """Read the body of an answer; raises CallFailed."""
        return read_edit(raw) if self.request.edit else read_completion(raw)

    @property
    def route(self) -> Route:
        """Its path, and the type of its body."""
        if not self.request.edit:
            return CHAT
        return Route(EDITS, f"multipart/form-data; boundary={self.key}", MOST_PICTURE_BYTES)

    @property
    def most_tokens(self) -> int:
        """The most tokens of the reply."""
        return self.request.max_tokens or self.settings.max_tokens

    @property
    def worst_usage(self) -> Usage:
        """The most usage to expect: the estimated prompt, nothing of it cached, and the longest reply."""
        return Usage(prompt_tokens(self.request, self.settings), 0, self.most_tokens)


def call_of(request: Request, settings: ModelSettings, images: Images) -> Call:
    """Make the call of a request; raises DatasetError for a missing picture, ConfigError for one not taken."""
    import orjson

    if request.images and not settings.capabilities.images:
        raise ConfigError(
            f"step {request.step!r} sends pictures, which {settings.model!r} does not accept; set another model"
        )
    names = [images.name(path, settings.encoding) for path in request.images]
    body = edit_fields(request, settings) if request.edit else request_body(request, settings, names)
    content: dict[str, Any] = {"body": body, "draw": request.draw}
    if request.edit:
        content["edit"] = request.edit.names
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
    """Make the body of a chat completion, of fields that the endpoint takes.

    ``shift`` moves the seed after a reply that could not be used. ``takes`` are the capabilities that were found, if
    they differ from those set: they change the body, not the hash that the call is kept under.
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


def edit_fields(request: Request, settings: ModelSettings) -> dict[str, Any]:
    """Make the fields of an edit, without its files; those of the settings' ``body`` win (``size``, ``quality``)."""
    size = request.edit.size if request.edit else "auto"
    fields = {"model": settings.model, "prompt": request.messages[-1][1], "n": 1, "size": size}
    return fields | dict(settings.body)


def prompt_tokens(request: Request, settings: ModelSettings) -> int:
    """Estimate the tokens of the prompt: four bytes a token, four a turn, and pictures by the model's rule."""
    text = _text_tokens(request.messages, _schema_bytes(request.schema)) + TOKENS_A_TURN
    picture = picture_tokens(settings.model, settings.image_side, settings.image_detail) if request.images else 0
    return text + len(request.images) * picture


def prefix_tokens(request: Request, settings: ModelSettings) -> int:
    """Estimate the tokens of the beginning that a later call of the step pays the cached price for.

    These are the turns before the last, in blocks; none if they are fewer than the endpoint keeps, or cost no less.
    """
    price, tokens = settings.price, _text_tokens(request.messages[:-1])
    cheaper = price is not None and price.cached < price.input
    if not cheaper or not settings.cached_from or tokens < settings.cached_from:
        return 0
    return tokens // PREFIX_BLOCK * PREFIX_BLOCK


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
    return {"type": "json_schema", "json_schema": {"name": step[:LONGEST_NAME], "schema": schema} | strict}


def _schema_bytes(schema: Mapping[str, Any] | None) -> int:
    import orjson

    return len(orjson.dumps(schema)) if schema is not None else 0
