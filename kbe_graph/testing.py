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
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from kbe_graph.loopback import Answer, Asked, Chat, Desk, batch_line, read_request, wire

__all__ = [
    "Answer",
    "Asked",
    "LoopbackServer",
    "batch_line",
    "completion",
    "cut",
    "filtered",
    "late",
    "no_choices",
    "no_content",
    "quota",
    "refusal",
    "refuse",
    "reset",
    "said",
    "too_many",
    "web_page",
]


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
    ``asked`` holds the chat requests, those of batches too (none with ``record=False``), ``desk.batches`` the batches,
    ``statuses`` how many answers of each status went out.
    """

    def __init__(
        self,
        script: Iterable[Answer] = (),
        *,
        otherwise: Answer | Chat | None = None,
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
        self._key, self._record = key, record
        self._bucket, self._filled = limit or 0.0, time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.asked: list[Asked] = []
        self.statuses: Counter[int] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.port = 0
        self.desk = Desk(self._chat, polls=polls)

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
            while asked := await read_request(reader):
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
                writer.write(wire(answer))
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, asked: Asked) -> Answer:
        if self._key and self._key not in {asked.headers.get("authorization", "")[7:], asked.headers.get("api-key")}:
            return refuse(401, "Incorrect API key provided", code="invalid_api_key")
        if not asked.path.partition("?")[0].endswith("/chat/completions"):
            return self.desk.answer(asked) or refuse(404, f"no {asked.path}")
        if not self._allowed():
            self._note(asked)
            return too_many(retry_after=self._retry_after)
        answer = self._chat(asked)
        if wait := self._latency + answer.late:
            await asyncio.sleep(wait)
        return replace(answer, headers=self._headers(answer)) if self._tells else answer

    def _chat(self, asked: Asked) -> Answer:
        self._note(asked)
        if self._script:
            return self._script.popleft()
        return self._otherwise if isinstance(self._otherwise, Answer) else self._otherwise(asked)

    def _note(self, asked: Asked) -> None:
        if self._record:
            self.asked.append(asked)

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
