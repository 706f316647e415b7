"""Finds out what a model at an endpoint takes, by asking it a few very short questions."""

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kbe_graph.models.completion import read_completion
from kbe_graph.models.endpoint import ModelEndpoint
from kbe_graph.models.failures import CallFailed
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
# faults that say that a field was not taken, and those of a reply that came all the same
NOT_TAKEN = ("parameter", "request", "images", "server", "too long")
CAME = ("cut", "empty", "refused", "filtered", "no choices")


async def probe(settings: ModelSettings, *, sent: Callable[[], None] = lambda: None) -> Capabilities:
    """Return what the model takes, found by about six short calls.

    A form counts as taken only where a model that was asked for one plain word answers in it: some endpoints accept
    ``response_format`` and ignore it. ``sent`` is told of each request. Raises as ``Model.ask`` does where the endpoint
    cannot be used at all.
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
        """Ask; the plain question first, as an endpoint that fails that is not to be judged by the others."""
        newer = not await self._takes({"max_tokens": SHORT})
        most = {"max_completion_tokens" if newer else "max_tokens": SHORT}
        if newer:
            await self._reply(most)
        form = {"type": "json_schema", "json_schema": {"name": "probe", "schema": SCHEMA}}
        return Capabilities(
            completion_tokens=newer,
            seed=await self._takes(most | {"seed": 0}),
            temperature=await self._takes(most | {"temperature": 0}),
            images=await self._takes(most | {"messages": _with_picture()}),
            json_schema='"ok"' in await self._text(most | {"response_format": form}),
            json_object="{" in await self._text(most | {"response_format": {"type": "json_object"}}),
        )

    async def _takes(self, extra: Mapping[str, Any]) -> bool:
        try:
            await self._reply(extra)
        except CallFailed as failed:
            if failed.fault.kind not in NOT_TAKEN:
                raise
            return False
        return True

    async def _text(self, extra: Mapping[str, Any]) -> str:
        try:
            return await self._reply(extra)
        except CallFailed as failed:
            if failed.fault.kind not in NOT_TAKEN:
                raise
            return ""

    async def _reply(self, extra: Mapping[str, Any]) -> str:
        """Return the reply to the question with these fields more; a reply cut or empty will do."""
        import orjson

        settings = self._endpoint.settings
        asked = f"{ASKED} (json)" if "response_format" in extra else ASKED
        body = {"model": settings.model, "messages": [{"role": "user", "content": asked}], **extra, **settings.body}

        async def encoded() -> bytes:
            """Return the body as JSON."""
            return orjson.dumps(body)

        raw = await with_retries(lambda: self._endpoint.send(encoded, SHORT), self._endpoint.patience)
        try:
            return read_completion(raw).text
        except CallFailed as failed:
            if failed.fault.kind in CAME:
                return failed.text
            raise


def _with_picture() -> list[dict[str, Any]]:
    import base64

    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(stream, "JPEG")
    url = f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"
    return [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": ASKED}]}
    ]
