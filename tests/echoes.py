"""Endpoints that echo keys, in a table of ways, and a search for leaked keys."""

import html
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import unquote

from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, completion, error_response, reply_with
from model_cases import answer_step

KEY = "sk-kbe-9fQxZt7mRvK4pW2nB6-Lc8_hD3"
TOKEN = "gw-51c8e0b7a94d4f6d"  # noqa: S105 - of a header in [models]
JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html"}
TEXT = {"content-type": "text/plain"}
Echo = Callable[[], LoopbackResponse]


def said(status: int, text: str) -> Echo:
    """Build an error with this message."""
    return lambda: error_response(status, text)


def sent(status: int, content: bytes | str, headers: Mapping[str, str] = TEXT) -> Echo:
    """Build a response with this body and these headers."""
    return lambda: LoopbackResponse(content.encode() if isinstance(content, str) else content, status, headers)


def replied(text: str, **more: object) -> Echo:
    """Build a whole reply with this text."""
    return lambda: completion({"content": text} | more)


def graph(entity: str) -> str:
    """Build a graph as a model writes it, with an entity of this name."""
    visual = [{"s": "IMAGE", "r": "depicts", "o": "MIDDLE"}, {"s": "MIDDLE", "r": "stands beside", "o": entity}]
    textual = [{"s": "MIDDLE", "r": "is a kind of", "o": "GIRAFFE"}]
    return json.dumps({"visual": visual, "textual": textual, "key": ["V1", "T1"]})


BEARER = f"Bearer {KEY}"
WHOLE = json.dumps(json.loads(completion({"content": graph(f"A SIGN OF {KEY}")}).content)).encode()
# An endpoint's response to one call while it answers the others.
OF_A_CALL: Mapping[str, Echo] = {
    "json": said(400, f"the header was {BEARER}"),
    "page": sent(400, f"<pre>{BEARER}</pre>", HTML),
    "header": sent(400, "no", TEXT | {"x-echo": BEARER, "www-authenticate": BEARER}),
    "refusal": replied("", refusal=f"I will not tell {KEY}"),
    "prose": replied(f"My key is {KEY}"),
    "cut": lambda: completion({"content": f"It is {KEY}"}, finish="length"),
    "reply": replied(graph(f"A SIGN OF {KEY}")),
    "model": lambda: _named(KEY),
}
REFUSED = {"id": "batch_1", "object": "batch", "status": "failed", "endpoint": "", "input_file_id": "", "created_at": 0}
# An endpoint's response to a request about a batch. By id: the request and the response.
OF_BATCHES: Mapping[str, tuple[str, Echo]] = {
    "list, 401": ("GET /v1/batches?", said(401, f"Incorrect API key provided: {BEARER}")),
    "look, refused": (
        "GET /v1/batches/",
        sent(200, json.dumps(REFUSED | {"errors": {"data": [{"message": f"not by {BEARER}", "code": KEY}]}}), JSON),
    ),
    "content, 404": ("GET /v1/files/", said(404, f"no file for {BEARER}")),
}


def _named(model: str) -> LoopbackResponse:
    body = json.loads(completion({"content": graph("A TREE")}).content) | {"model": model}
    return LoopbackResponse(json.dumps(body).encode())


class EchoingServer(LoopbackServer):
    """Answers as a good model does, after trying ``echo`` first; ``seen`` holds all requests.

    ``line`` answers the calls of a batch, and those that ``echo`` does not.
    """

    def __init__(self) -> None:
        super().__init__(otherwise=lambda request: self.line(request))  # noqa: PLW0108 - it is set anew
        self.line: Callable[[LoopbackRequest], LoopbackResponse] = usual
        self.echo: Callable[[LoopbackRequest], LoopbackResponse | None] = lambda _: None
        self.seen: list[LoopbackRequest] = []

    async def _answer(self, request: LoopbackRequest) -> LoopbackResponse:
        self.seen.append(request)
        return self.echo(request) or await super()._answer(request)


def usual(request: LoopbackRequest) -> LoopbackResponse:
    """Answer as a good model does; without a requested form the answer is one word."""
    form = request.json.get("response_format", {}).get("json_schema", {}).get("name")
    return (
        reply_with('{"ok": true}' if form == "probe" else "giraffe")
        if form in {None, "probe"}
        else answer_step(request)
    )


def by_question(request: LoopbackRequest) -> LoopbackResponse | None:
    """Answer a call by the kind of echo that its question names."""
    asked = re.search(rb"picture of (.+?),", request.content)
    return OF_A_CALL[asked[1].decode()]() if asked else None


def in_a_line(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a call of a batch by the kind of echo that its question names if that is JSON, otherwise as usual."""
    response = by_question(request)
    with suppress(ValueError):
        return response if response and isinstance(json.loads(response.content), dict) else usual(request)
    return usual(request)


def leaks(content: bytes, *secrets: str) -> list[str]:
    """Find the first halves of secrets in a content, also as JSON, HTML or a URL writes them."""
    text = content.decode("latin-1")
    readings = (text, unquote(text), html.unescape(text), text.replace("\\", ""))
    halves = [secret[: len(secret) // 2] for secret in secrets]
    return [half for half in halves if any(half in reading for reading in readings)]


def stored(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each file in a folder with its content, and each SQLite table, as pages split long values."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        yield str(file), re.sub(rb"\0{16,}", b"\0", content)
        if content.startswith(b"SQLite format 3"):
            with closing(sqlite3.connect(file)) as database:
                tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                for (table,) in tables:
                    cells = (cell for row in database.execute(f"SELECT * FROM {table}") for cell in row)
                    texts = (cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells)
                    yield f"{file} {table}", b" | ".join(texts)
