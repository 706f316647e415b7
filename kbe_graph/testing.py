"""Public doubles: an OpenAI-style server on loopback that does what real ones do on bad days.

>>> with LoopbackServer([too_many(retry_after=1), said("hello")], latency=0.5) as server:
...     ask(base_url=server.url)
>>> server.asked[0].json["messages"]
"""

import asyncio
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from functools import cached_property
from typing import Any, Self

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @cached_property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.content)

    @property
    def text(self) -> str:
        """The text of the last turn."""
        content = self.json["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@dataclass(frozen=True)
class Answer:
    """What the server does with one request: an answer, after more seconds (``late``), or a connection cut (``reset``)."""

    content: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    late: float = 0.0
    reset: bool = False


Script = Callable[[Asked], Answer]


def completion(message: Mapping[str, Any], *, finish: str = "stop", usage: Mapping[str, Any] | None = None) -> Answer:
    """Return a chat completion with this message."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback",
        "choices": [{"index": 0, "message": {"role": "assistant"} | dict(message), "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return Answer(json.dumps(body).encode())


def said(text: str, *, prompt: int = 100, cached: int = 0, output: int = 10) -> Answer:
    """Return a whole reply with these tokens."""
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return completion({"content": text}, usage=usage)


def cut(text: str) -> Answer:
    """Return a reply that was cut at its most tokens."""
    return completion({"content": text}, finish="length")


def refusal(text: str = "I'm sorry, I can't help with that.") -> Answer:
    """Return a reply that refuses in the field for it."""
    return completion({"content": None, "refusal": text})


def filtered() -> Answer:
    """Return a reply that a content filter withheld."""
    return completion({"content": None}, finish="content_filter")


def no_content() -> Answer:
    """Return a reply whose content is null."""
    return completion({"content": None})


def no_choices(said: str = "") -> Answer:
    """Return a 200 answer without choices, with an error in it where something is said."""
    return Answer(json.dumps({"choices": None} | ({"error": {"message": said}} if said else {})).encode())


def web_page() -> Answer:
    """Return a page of HTML with status 200."""
    return Answer(b"<!doctype html><title>Welcome</title>", headers={"content-type": "text/html"})


def refuse(status: int, message: str, *, code: str | None = None, **headers: str) -> Answer:
    """Return an error; underscores in the names of headers stand for dashes."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps(body).encode(), status, {"content-type": "application/json"} | named)


def too_many(*, retry_after: float | None = None) -> Answer:
    """Return a 429, with or without Retry-After."""
    headers = {} if retry_after is None else {"retry_after": f"{retry_after:g}"}
    return refuse(429, "Rate limit reached for requests", code="rate_limit_exceeded", **headers)


def quota() -> Answer:
    """Return the 429 that says that the account is used up."""
    return refuse(429, "You exceeded your current quota, please check your plan", code="insufficient_quota")


def reset() -> Answer:
    """Cut the connection instead of answering."""
    return Answer(reset=True)


def late(seconds: float, answer: Answer | None = None) -> Answer:
    """Answer after more seconds."""
    return replace(answer or said("late"), late=seconds)


class LoopbackServer:
    """An OpenAI-style server on a free port of this machine, in a thread; a context manager.

    ``script`` is what it answers to chat requests, in turn, and ``otherwise`` (an answer, or a function of the request) when
    that is used up. ``latency`` is the seconds of every answer; ``limit`` the requests a second above which it says 429,
    with ``retry_after``, and in ``x-ratelimit-limit-requests`` where ``tells`` is set; ``key`` the only key that it takes.
    A batch is done when it was looked at ``polls`` times; an answer with ``reset`` in one is a line that never comes.
    ``asked`` holds the chat requests (none with ``record=False``), ``statuses`` how many answers of each status went out.
    """

    def __init__(
        self,
        script: Iterable[Answer] = (),
        *,
        otherwise: Answer | Script | None = None,
        latency: float = 0.0,
        limit: float | None = None,
        retry_after: float | None = None,
        tells: bool = False,
        key: str = "",
        polls: int = 1,
        record: bool = True,
    ) -> None:
        self._script = deque(script)
        self._otherwise = otherwise or said("ok")
        self._latency, self._limit, self._retry_after, self._tells = latency, limit, retry_after, tells
        self._key, self._polls, self._record = key, polls, record
        self._bucket, self._filled = limit or 0.0, time.monotonic()
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.asked: list[Asked] = []
        self.statuses: Counter[int] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.port = 0

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
            while asked := await _read(reader):
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                try:
                    answer = await self._answer(asked)
                finally:
                    self.in_flight -= 1
                if answer.reset:
                    writer.transport.abort()
                    return
                self.statuses[answer.status] += 1
                writer.write(_wire(answer))
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, asked: Asked) -> Answer:
        if self._key and self._key not in {asked.headers.get("authorization", "")[7:], asked.headers.get("api-key")}:
            return refuse(401, "Incorrect API key provided", code="invalid_api_key")
        if not asked.path.partition("?")[0].endswith("/chat/completions"):
            return self._other(asked)
        if self._record:
            self.asked.append(asked)
        if not self._allowed():
            return too_many(retry_after=self._retry_after)
        answer = self._chat(asked)
        if wait := self._latency + answer.late:
            await asyncio.sleep(wait)
        return replace(answer, headers=self._headers(answer)) if self._tells else answer

    def _chat(self, asked: Asked) -> Answer:
        if self._script:
            return self._script.popleft()
        return self._otherwise if isinstance(self._otherwise, Answer) else self._otherwise(asked)

    def _allowed(self) -> bool:
        """Take from a bucket that holds a second's worth."""
        if self._limit is None:
            return True
        now = time.monotonic()
        self._bucket = min(self._limit, self._bucket + (now - self._filled) * self._limit)
        self._filled = now
        if self._bucket < 1:
            return False
        self._bucket -= 1
        return True

    def _headers(self, answer: Answer) -> dict[str, str]:
        return {**answer.headers, "x-ratelimit-limit-requests": f"{(self._limit or 0) * 60:.0f}"}

    def _other(self, asked: Asked) -> Answer:
        parts = asked.path.partition("?")[0].strip("/").split("/")[1:]
        match asked.method, parts:
            case "GET", ["models"]:
                return _json({"object": "list", "data": [{"id": "loopback", "object": "model"}]})
            case "POST", ["files"]:
                return self._keep_file(_uploaded(asked))
            case "GET", ["files", name, "content"] if name in self._files:
                return Answer(self._files[name])
            case "POST", ["batches"]:
                return self._start_batch(asked.json)
            case "GET", ["batches", name] if name in self._batches:
                return self._look_at_batch(name)
        return refuse(404, f"no {asked.path}")

    def _keep_file(self, content: bytes) -> Answer:
        name = f"file-{len(self._files) + 1}"
        self._files[name] = content
        return _json({"id": name, "object": "file", "bytes": len(content), "purpose": "batch", "filename": name})

    def _start_batch(self, asked: Mapping[str, Any]) -> Answer:
        name = f"batch_{len(self._batches) + 1}"
        self._batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"],
            "completion_window": asked["completion_window"],
            "status": "in_progress",
            "created_at": 0,
            "polls": 0,
        }
        return _json(self._batches[name])

    def _look_at_batch(self, name: str) -> Answer:
        batch = self._batches[name]
        batch["polls"] += 1
        if batch["status"] == "in_progress" and batch["polls"] >= self._polls:
            good, bad = self._batch_lines(self._files[batch["input_file_id"]])
            for place, lines in (("output_file_id", good), ("error_file_id", bad)):
                batch[place] = json.loads(self._keep_file(b"".join(lines)).content)["id"] if lines else None
            batch["status"] = "completed"
        return _json(batch)

    def _batch_lines(self, content: bytes) -> tuple[list[bytes], list[bytes]]:
        good: list[bytes] = []
        bad: list[bytes] = []
        for line in content.splitlines():
            asked = json.loads(line)
            request = Asked("POST", asked["url"], {}, json.dumps(asked["body"]).encode())
            self.asked.append(request)
            answer = self._chat(request)
            if not answer.reset:
                (good if answer.status == 200 else bad).append(batch_line(asked["custom_id"], answer))
        return good, bad


def batch_line(call: str, answer: Answer) -> bytes:
    """Return the line that a provider writes for a call of a batch."""
    response = {"status_code": answer.status, "request_id": "", "body": json.loads(answer.content)}
    return json.dumps({"id": "", "custom_id": call, "response": response, "error": None}).encode() + b"\n"


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    """Return the next request of a connection; None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        return Asked(method, path, headers, await _chunks(reader))
    return Asked(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    content = b""
    while size := int(await reader.readline(), 16):
        content += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return content


def _wire(answer: Answer) -> bytes:
    headers = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
    reason = REASONS.get(answer.status, "Other")
    head = f"HTTP/1.1 {answer.status} {reason}\r\n{headers}content-length: {len(answer.content)}\r\n\r\n"
    return head.encode("latin-1") + answer.content


def _json(body: Mapping[str, Any]) -> Answer:
    return Answer(json.dumps(body).encode())


def _uploaded(asked: Asked) -> bytes:
    """Return the file in a form."""
    form = message_from_bytes(f"content-type: {asked.headers['content-type']}\r\n\r\n".encode() + asked.content)
    for part in form.walk():
        if part.get_filename():
            content = part.get_payload(decode=True)
            return content if isinstance(content, bytes) else b""
    return b""
