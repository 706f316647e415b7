"""A local OpenAI-style server that fails in the ways real ones do."""

import asyncio
import base64
import json
import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from loopback_http import (
    BatchApi,
    ChatHandler,
    LoopbackRequest,
    LoopbackResponse,
    encode_response,
    read_request,
)


def completion(
    message: Mapping[str, Any], *, finish: str = "stop", usage: Mapping[str, Any] | None = None
) -> LoopbackResponse:
    """Build a chat completion with this message, of 100 prompt and 10 completion tokens unless ``usage`` is given."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback",
        "choices": [{"index": 0, "message": {"role": "assistant"} | dict(message), "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return LoopbackResponse(json.dumps(body).encode())


def reply_with(text: str, *, prompt: int = 100, cached: int = 0, output: int = 10) -> LoopbackResponse:
    """Build a complete reply with this text; ``prompt``, ``cached`` and ``output`` are its token counts."""
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return completion({"content": text}, usage=usage)


def picture_reply(content: bytes = b"", *, url: str = "") -> LoopbackResponse:
    """Build the reply to an image edit, with these bytes or with the ``url`` to fetch the image from."""
    picture = {"url": url} if url else {"b64_json": base64.b64encode(content).decode("ascii")}
    usage = {"input_tokens": 400, "output_tokens": 1500, "total_tokens": 1900}
    return LoopbackResponse(json.dumps({"created": 0, "data": [picture], "usage": usage}).encode())


def cut_reply(text: str) -> LoopbackResponse:
    """Build a reply that was truncated at the maximum length."""
    return completion({"content": text}, finish="length")


def refusal_reply(text: str = "I'm sorry, I can't help with that.") -> LoopbackResponse:
    """Build a reply that refuses, in the ``refusal`` field."""
    return completion({"content": None, "refusal": text})


def filtered_reply() -> LoopbackResponse:
    """Build a reply that a content filter withheld."""
    return completion({"content": None}, finish="content_filter")


def reply_without_content() -> LoopbackResponse:
    """Build a reply whose content is null."""
    return completion({"content": None})


def response_without_choices(message: str = "") -> LoopbackResponse:
    """Build a 200 response without choices, with an error if ``message`` is given."""
    return LoopbackResponse(
        json.dumps({"choices": None} | ({"error": {"message": message}} if message else {})).encode()
    )


def web_page() -> LoopbackResponse:
    """Build an HTML page with status 200."""
    return LoopbackResponse(b"<!doctype html><title>Welcome</title>", headers={"content-type": "text/html"})


def error_response(status: int, message: str, *, code: str | None = None, **headers: str) -> LoopbackResponse:
    """Build an error response; underscores in the names of headers stand for dashes."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return LoopbackResponse(json.dumps(body).encode(), status, {"content-type": "application/json"} | named)


def too_many_requests(*, retry_after: float | None = None) -> LoopbackResponse:
    """Build a 429; ``retry_after`` is the value of its Retry-After header in seconds, omitted if None."""
    headers = {} if retry_after is None else {"retry_after": f"{retry_after:g}"}
    return error_response(429, "Rate limit reached for requests", code="rate_limit_exceeded", **headers)


def quota_used_up() -> LoopbackResponse:
    """Build the 429 of an account without quota."""
    return error_response(429, "You exceeded your current quota, please check your plan", code="insufficient_quota")


def connection_reset() -> LoopbackResponse:
    """Build the response that makes the server reset the connection instead of answering."""
    return LoopbackResponse(reset=True)


def late_response(seconds: float, response: LoopbackResponse | None = None) -> LoopbackResponse:
    """Delay a response (by default a reply) by this many seconds."""
    return replace(response or reply_with("late"), delay=seconds)


class LoopbackServer:
    """An OpenAI-style server on a free local port, in a thread; a context manager.

    ``script`` holds the responses to chat and edit requests, in order; after that, ``otherwise`` responds, which is a
    response or a function of the request. ``latency`` is the delay of every response in seconds. ``key`` is the only
    accepted key. A batch completes after
    ``polls`` status requests; a response with ``reset`` is a batch line that never arrives. ``files`` responds to each
    GET, instead of the files of a model's server.

    ``requests`` holds the chat and edit requests, including those in batches (none with ``record=False``). ``batches``
    holds the batches by id, and ``statuses`` counts the responses by status.
    """

    def __init__(
        self,
        script: Iterable[LoopbackResponse] = (),
        *,
        otherwise: LoopbackResponse | ChatHandler | None = None,
        latency: float = 0.0,
        key: str = "",
        polls: int = 1,
        record: bool = True,
        files: ChatHandler | None = None,
    ) -> None:
        self._script = deque(script)
        self.otherwise = otherwise or reply_with("ok")
        self._latency, self._key, self._record, self._files = latency, key, record, files
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.requests: list[LoopbackRequest] = []
        self.statuses: Counter[int] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.port = 0
        self._batch_api = BatchApi(self._chat, polls=polls)
        self.batches = self._batch_api.batches

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=4096))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await read_request(reader):
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                try:
                    response = await self._answer(request)
                finally:
                    self.in_flight -= 1
                if response.reset:
                    writer.transport.abort()
                    return
                self.statuses[response.status] += 1
                encoded = encode_response(response)
                if response.cut:
                    writer.write(encoded[: -len(response.content) // 2])
                    await writer.drain()
                    return
                writer.write(encoded)
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, request: LoopbackRequest) -> LoopbackResponse:
        if self._key and self._key not in {
            request.headers.get("authorization", "")[7:],
            request.headers.get("api-key"),
        }:
            return error_response(401, "Incorrect API key provided", code="invalid_api_key")
        if self._files and request.method == "GET":
            self._note(request)
            return await self._late(self._files(request))
        if not request.path.partition("?")[0].endswith(("/chat/completions", "/images/edits")):
            return self._batch_api.answer(request) or error_response(404, f"no {request.path}")
        return await self._late(self._chat(request))

    async def _late(self, response: LoopbackResponse) -> LoopbackResponse:
        if wait := self._latency + response.delay:
            await asyncio.sleep(wait)
        return response

    def _chat(self, request: LoopbackRequest) -> LoopbackResponse:
        self._note(request)
        if self._script:
            return self._script.popleft()
        return self.otherwise if isinstance(self.otherwise, LoopbackResponse) else self.otherwise(request)

    def _note(self, request: LoopbackRequest) -> None:
        if self._record:
            self.requests.append(request)
