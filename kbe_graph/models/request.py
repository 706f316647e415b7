"""Model requests and replies, the request body sent over the wire, and the hash that identifies a call."""

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kbe_graph.errors import KbeError, ReplyError
from kbe_graph.models.catalogue import Usage, picture_tokens
from kbe_graph.models.images import EDITS, MOST_PICTURE_BYTES, Images, MaskedPicture, read_edit
from kbe_graph.models.reply import MOST_BYTES, CallFailed, read_completion
from kbe_graph.models.settings import ModelSettings

if TYPE_CHECKING:
    from aiohttp import FormData


@dataclass(frozen=True, slots=True)
class Request:
    """Request to a model.

    ``step`` selects the settings (``extract``, ``judge``); ``messages`` are (role, text) turns. ``images`` precede the
    text of the last turn, so that all calls of the step share a prefix. ``schema`` is the JSON schema of the reply, and
    ``max_tokens`` its token limit unless the settings have one. ``draw`` distinguishes calls that are repeated on
    purpose. With ``edit``, the request is to edit that image as the last turn says.
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
    """Complete reply; ``call`` is its hash in the store, and ``cached`` means that it was not paid for again."""

    text: str
    usage: Usage
    finish: str
    model: str
    call: str
    cached: bool = False


Check = Callable[[Reply], object]


class Model(Protocol):
    """Interface of a model: an endpoint with a call store, a batch file, or a test double."""

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a complete reply.

        ``check`` is the step's parser, which raises ReplyError: a reply that it rejects is stored as invalid, and
        requested again. Raises ReplyError if this call has no usable reply, ReplyAwaited if the reply will arrive
        later, DatasetError for an image that cannot be read, and otherwise an error that ends the run (ConfigError,
        QuotaReached, BudgetReached, ModelUnavailable, or ModelError if the first calls of a step failed in the same
        way).
        """


BYTES_A_TOKEN = 4.0  # of UTF-8: about right for English and Chinese; underestimates the tokens of rarer scripts
TOKENS_A_TURN = 4
PREFIX_BLOCK = 128  # tokens per block of a prefix cache
MOST_TOKENS = 1024  # of a reply, for a request that names no limit
LONGEST_NAME = 64  # the longest name of a schema
FORMAT = "response_format"


class Call(NamedTuple):
    """Request with the settings of its step; ``key`` hashes both, with each image represented by its own hash."""

    key: str
    request: Request
    settings: ModelSettings

    def encode(self, images: Images, *, shift: int = 0, drop: Collection[str] = ()) -> "bytes | FormData":
        """Encode the body with its images; see ``request_body``. An edit's body is a form. Raises PictureError."""
        import orjson

        if edit := self.request.edit:
            return edit.form(edit_fields(self.request, self.settings))
        uris = [images.uri(path, self.settings.encoding) for path in self.request.images]
        return orjson.dumps(request_body(self.request, self.settings, uris, shift=shift, drop=drop))

    def read(
        self, raw: bytes, check: Check | None = None, *, usage: Usage | None = None, cached: bool = False
    ) -> Reply:
        """Parse the body of a response, of which ``usage`` may be known; raises CallFailed, also if ``check`` fails."""
        whole = read_edit(raw) if self.request.edit else read_completion(raw)
        usage = usage or whole.usage or self._estimated_usage(whole.text)
        reply = Reply(whole.text, usage, whole.finish, whole.model or self.settings.model, self.key, cached)
        try:
            if check:
                check(reply)
        except ReplyError as error:
            kind, problem = "refused" if error.kind == "refused" else "invalid", str(error)
        except KbeError:
            raise
        except Exception as error:  # noqa: BLE001 - the reply was paid for, so it is stored whatever it contains
            kind, problem = "invalid", f"the reply cannot be parsed ({type(error).__name__}: {error})"
        else:
            return reply
        raise CallFailed(kind, problem, raw=raw, usage=reply.usage, text=reply.text)

    def error(self, failed: CallFailed, *, is_down: bool = False) -> KbeError:
        """Build the error to raise when the call is given up; see ``CallFailed.error``."""
        settings = self.settings
        return failed.error(model=settings.model, url=settings.base_url, step=self.request.step, is_down=is_down)

    @property
    def path(self) -> str:
        """The path after the base URL."""
        return EDITS if self.request.edit else "chat/completions"

    @property
    def most_bytes(self) -> int:
        """The maximum size of a response."""
        return MOST_PICTURE_BYTES if self.request.edit else MOST_BYTES

    @property
    def most_tokens(self) -> int:
        """The token limit of the reply."""
        return _reply_limit(self.request, self.settings)

    @property
    def worst_usage(self) -> Usage:
        """The highest expected usage: the estimated prompt, with nothing cached, and the longest reply."""
        return Usage(prompt_tokens(self.request, self.settings), 0, self.most_tokens)

    def _estimated_usage(self, text: str) -> Usage:
        if self.request.edit:
            return self.worst_usage
        return self.worst_usage._replace(output=max(1, round(len(text.encode()) / BYTES_A_TOKEN)))


def call_of(request: Request, settings: ModelSettings, images: Images) -> Call:
    """Build the call for a request; raises DatasetError for a missing image."""
    import orjson

    names = [images.name(path, settings.encoding) for path in request.images]
    body = edit_fields(request, settings) if request.edit else request_body(request, settings, names)
    content: dict[str, Any] = {"body": body, "draw": request.draw}
    if request.edit:
        content["edit"] = request.edit.names
    if "model" in settings.body:
        content["model"] = settings.model  # which the body replaces: two names of one served model are two models
    if settings.revision:
        content["revision"] = settings.revision
    return Call(hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest(), request, settings)


def request_body(
    request: Request,
    settings: ModelSettings,
    images: Sequence[str],
    *,
    shift: int = 0,
    drop: Collection[str] = (),
) -> dict[str, Any]:
    """Build the body of a chat completion, without the fields that the settings and ``drop`` name.

    ``shift`` changes the seed after an unusable reply. ``body`` of the settings wins, but a ``response_format`` is sent
    only with a request that has a schema. A dropped ``max_tokens`` is sent under its newer name.
    """
    limit = _reply_limit(request, settings)
    fields: dict[str, Any] = {
        "model": settings.model,
        "messages": _messages(request, settings, images),
        "max_tokens": limit,
        "temperature": settings.temperature,
        "seed": settings.seed + request.draw + shift,
        FORMAT: _response_format(request),
    }
    dropped = {*settings.drop, *drop} - settings.body.keys()
    if "max_tokens" in dropped:
        fields["max_completion_tokens"] = limit
    if request.schema is None:
        dropped.add(FORMAT)
    return {name: value for name, value in (fields | dict(settings.body)).items() if name not in dropped}


def _reply_limit(request: Request, settings: ModelSettings) -> int:
    # the user's if set, as a reasoning model needs more than the step itself
    return settings.max_tokens or request.max_tokens or MOST_TOKENS


def edit_fields(request: Request, settings: ModelSettings) -> dict[str, Any]:
    """Build the form fields of an edit, without files; ``body`` of the settings (``size``, ``quality``) wins."""
    size = request.edit.size if request.edit else "auto"
    fields = {"model": settings.model, "prompt": request.messages[-1][1], "n": 1, "size": size}
    return fields | dict(settings.body)


def prompt_tokens(request: Request, settings: ModelSettings) -> int:
    """Estimate the prompt's tokens: four bytes per token, four tokens per turn, and images by the model's rule."""
    text = _text_tokens(request.messages, _schema_bytes(request.schema)) + TOKENS_A_TURN
    picture = picture_tokens(settings.model, settings.image_side, settings.image_detail) if request.images else 0
    return text + len(request.images) * picture


def prefix_tokens(request: Request, settings: ModelSettings) -> int:
    """Estimate the tokens of the prefix for which later calls of the step pay the cached price.

    The prefix is all turns but the last, in whole blocks; zero if it is too short for the endpoint's cache or not
    cheaper.
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


def _response_format(request: Request) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": request.step[:LONGEST_NAME], "schema": request.schema}}


def _schema_bytes(schema: Mapping[str, Any] | None) -> int:
    import orjson

    return len(orjson.dumps(schema)) if schema is not None else 0
