"""Capabilities of an endpoint and model: probed with short calls, or learned from rejected requests and stored."""

import asyncio
import base64
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kbe_graph.errors import KbeError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.completion import read_completion
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed, one_line
from kbe_graph.models.request import Call
from kbe_graph.models.retry import with_retries
from kbe_graph.models.settings import Capabilities, ModelSettings

SHORT = 64  # tokens of a reply
ASKED = "Write the single word hello, and nothing else."
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
# faults that mean a field was rejected, and faults of replies that arrived nonetheless
NOT_TAKEN = ("parameter", "request", "images", "server", "too long")
CAME = ("cut", "empty", "refused", "filtered", "no choices")
KEPT = 30 * 86_400.0  # seconds; after that an endpoint is tried again, as it may have been upgraded
TEACHING = ("parameter", "request")  # faults whose message may name a rejected field
PROBED = ("completion_tokens", "seed", "temperature", "json_schema", "json_object")
# patterns for optional fields in error messages, and the capabilities that each field depends on
FIELDS = (
    (r"max_completion_tokens", ("completion_tokens",)),
    (r"max_tokens", ("completion_tokens",)),
    (r"seed", ("seed",)),
    (r"temperature", ("temperature",)),
    (r"response_format|json_schema|json_object|structured[ _]outputs?", ("json_schema", "json_object")),
)
_NO = (
    r"unsupported|not (?:be )?supported|does not support|unknown|unrecogni[sz]ed|unexpected|unavailable|not available"
    r"|extra_forbidden|extra (?:inputs|fields)|not permitted|not allowed|invalid (?:parameter|argument)"
    r"|cannot find field|additional propert|not (?:a )?valid|does not take"
)


async def probe(settings: ModelSettings, *, sent: Callable[[], None] = lambda: None) -> Capabilities:
    """Probe the model's capabilities with about six short calls; ``sent`` is called at each request.

    A response format counts as accepted only if a model asked for one plain word replies in that format: some endpoints
    accept ``response_format`` and ignore it. Raises like ``Model.ask`` if the endpoint cannot be used at all.
    """
    endpoint = ModelEndpoint(replace(settings, in_flight=1), sent=sent)
    try:
        return await _Probe(endpoint).capabilities()
    except CallFailed as failed:
        raise failed.error(model=settings.model, url=settings.base_url, step=settings.step) from None
    finally:
        await endpoint.close()


class _Probe:
    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    async def capabilities(self) -> Capabilities:
        """Ask a plain question, then one with each field; an endpoint that fails the plain question is not judged."""
        is_newer = await self._text({"max_tokens": SHORT}) is None
        most = {"max_completion_tokens" if is_newer else "max_tokens": SHORT}
        if is_newer:
            await self._reply(most)
        form = {"type": "json_schema", "json_schema": {"name": "probe", "schema": SCHEMA}}
        return Capabilities(
            completion_tokens=is_newer,
            seed=await self._text(most | {"seed": 0}) is not None,
            temperature=await self._text(most | {"temperature": 0}) is not None,
            images=await self._text(most | {"messages": _messages_with_picture()}) is not None,
            json_schema='"ok"' in (await self._text(most | {"response_format": form}) or ""),
            json_object="{" in (await self._text(most | {"response_format": {"type": "json_object"}}) or ""),
        )

    async def _text(self, fields: Mapping[str, Any]) -> str | None:
        """Get the reply to the question with these fields, or None if the endpoint rejects them."""
        try:
            return await self._reply(fields)
        except CallFailed as failed:
            if failed.fault.kind not in NOT_TAKEN:
                raise
            return None

    async def _reply(self, fields: Mapping[str, Any]) -> str:
        """Get the reply to the question with these fields, even if it is truncated or empty."""
        import orjson

        settings = self._endpoint.settings
        asked = f"{ASKED} (json)" if "response_format" in fields else ASKED
        body = {"model": settings.model, "messages": [{"role": "user", "content": asked}], **fields, **settings.body}

        async def encoded() -> bytes:
            """Encode the body."""
            return orjson.dumps(body)

        async def attempt() -> bytes:
            """Send the body once."""
            async with self._endpoint.exchange(encoded, SHORT) as raw:
                return raw

        try:
            return read_completion(await with_retries(attempt, self._endpoint.patience)).text
        except CallFailed as failed:
            if failed.fault.kind in CAME:
                return failed.text
            raise


def _messages_with_picture() -> list[dict[str, Any]]:
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(stream, "JPEG")
    url = f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"
    return [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": ASKED}]}
    ]


class LearnedCapabilities:
    """Capabilities that a workspace has learned from its endpoints' rejections, by endpoint and model.

    ``tell`` receives a line about each new finding; ``sent`` is called at each request.
    """

    def __init__(
        self,
        store: CallStore,
        *,
        tell: Callable[[str], None] = lambda _: None,
        sent: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._tell, self._note_sent = store, tell, sent
        self._learned: dict[tuple[str, str], dict[str, bool]] = {}
        self._probing = asyncio.Lock()
        self._probed: set[tuple[str, str]] = set()

    def capabilities(self, settings: ModelSettings) -> Capabilities:
        """Apply the learned corrections to the configured capabilities."""
        return replace(settings.capabilities, **self._of(settings))

    def learn(self, settings: ModelSettings, failed: CallFailed, sent: Capabilities) -> bool:
        """Learn from a failure's message; True if a request built now would differ from the one ``sent``."""
        if failed.fault.kind not in TEACHING:
            return False
        self._keep(settings, _refused(failed.searched, sent), failed.message)
        return self.capabilities(settings) != sent

    async def learn_or_probe(self, call: Call, failed: CallFailed, sent: Capabilities) -> bool:
        """Learn from a failure, probing if it names no field and the endpoint has never replied; see ``learn``.

        Raises CallFailed if images are what the endpoint does not accept.
        """
        settings = call.settings
        if self.learn(settings, failed, sent):
            return True
        place = (settings.base_url, settings.model)
        if failed.fault.kind not in TEACHING or self._store.has_replied(settings.base_url):
            return False
        async with self._probing:
            if place not in self._probed:
                self._probed.add(place)
                await self._probe(call, failed, sent)
        return self.capabilities(settings) != sent

    async def _probe(self, call: Call, failed: CallFailed, sent: Capabilities) -> None:
        try:
            takes = await probe(call.settings, sent=self._note_sent)
        except KbeError:
            return  # the plain question fails too, so no field is to blame
        if call.request.images and not takes.images:
            raise failed.as_kind("images")
        differing = {name: getattr(takes, name) for name in PROBED if getattr(takes, name) != getattr(sent, name)}
        self._keep(call.settings, differing, failed.message)

    def _of(self, settings: ModelSettings) -> dict[str, bool]:
        place = (settings.base_url, settings.model)
        if place not in self._learned:
            self._learned[place] = self._store.find_capabilities(*place, within=KEPT)
        return self._learned[place]

    def _keep(self, settings: ModelSettings, capabilities: Mapping[str, bool], message: str) -> None:
        """Store and report new findings; an earlier finding is never reversed."""
        learned = self._of(settings)
        new = {name: value for name, value in capabilities.items() if name not in learned}
        if not new:
            return
        learned.update(new)
        self._store.keep_capabilities(settings.base_url, settings.model, learned)
        for name, value in new.items():
            self._tell(
                f"{settings.base_url} does not accept {_field(name, value=value)} with model {settings.model!r} "
                f"({one_line(message)}); requests leave it out from here on"
            )


def _refused(searched: str, sent: Capabilities) -> dict[str, bool]:
    """Find the capabilities that an error message rules out, among those that the request used."""
    refused: dict[str, bool] = {}
    for field, names in FIELDS:
        pattern = rf"\b(?:{field})\b[^{{}}]{{0,120}}(?:{_NO})|(?:{_NO})[^{{}}]{{0,120}}\b(?:{field})\b"
        if not re.search(pattern, searched):
            continue
        if names == ("completion_tokens",):
            was_sent = sent.completion_tokens == (field == "max_completion_tokens")
            if was_sent:
                refused["completion_tokens"] = not sent.completion_tokens
        elif name := next((name for name in names if getattr(sent, name)), ""):
            refused[name] = False
    return refused


def _field(name: str, *, value: bool) -> str:
    if name == "completion_tokens":
        return "'max_tokens'" if value else "'max_completion_tokens'"
    return repr(f"response_format {name}" if name.startswith("json") else name)
