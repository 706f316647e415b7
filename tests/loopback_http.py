"""The HTTP/1.1 layer of the loopback server, written by hand to answer thousands of requests per second."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from functools import cached_property
from typing import Any

REASONS = {
    200: "OK",
    302: "Found",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class LoopbackRequest:
    """A request to the server; ``path`` includes the query, and header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @cached_property
    def json(self) -> Any:
        """The parsed JSON body."""
        return json.loads(self.content)

    @cached_property
    def form(self) -> Mapping[str, bytes]:
        """The fields and files of a form, by name."""
        head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
        parts = [part for part in message_from_bytes(head + self.content).walk() if not part.is_multipart()]
        named = {str(part.get_param("name", header="content-disposition")): part for part in parts}
        return {name: bytes(part.get_payload(decode=True)) for name, part in named.items()}

    @property
    def text(self) -> str:
        """The text of the last message."""
        content = self.json["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@dataclass(frozen=True)
class LoopbackResponse:
    """The server's response to a request: an answer, delayed by ``delay`` seconds, or a broken connection.

    The connection is closed before the answer (``reset``) or in the middle of it (``cut``).
    """

    content: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay: float = 0.0
    reset: bool = False
    cut: bool = False


ChatHandler = Callable[[LoopbackRequest], LoopbackResponse]


class BatchApi:
    """The server's models, files and batches, kept in memory: everything except chat.

    ``chat`` answers the lines of a batch, which completes after ``polls`` status requests.
    """

    def __init__(self, chat: ChatHandler, *, polls: int) -> None:
        self._chat = chat
        self._polls = polls
        self._files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}

    def answer(self, request: LoopbackRequest) -> LoopbackResponse | None:
        """Answer a request; None if the path is unknown."""
        parts = tuple(request.path.partition("?")[0].strip("/").split("/")[1:])
        fixed: dict[tuple[str, ...], Callable[[], LoopbackResponse]] = {
            ("GET", "models"): lambda: _json({"object": "list", "data": [{"id": "loopback", "object": "model"}]}),
            ("POST", "files"): lambda: self._keep(request.form["file"]),
            ("GET", "batches"): lambda: _json({"object": "list", "data": [*self.batches.values()], "has_more": False}),
            ("POST", "batches"): lambda: self._start(request.json),
        }
        if (request.method, *parts) in fixed:
            return fixed[request.method, *parts]()
        match parts:
            case ("files", name, "content") if name in self._files:
                return LoopbackResponse(self._files[name])
            case ("batches", name) if name in self.batches:
                return self._look(name)
        return None

    def _keep(self, content: bytes) -> LoopbackResponse:
        name = f"file-{len(self._files) + 1}"
        self._files[name] = content
        return _json({"id": name, "object": "file", "bytes": len(content), "purpose": "batch", "filename": name})

    def _start(self, body: Mapping[str, Any]) -> LoopbackResponse:
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "metadata": body.get("metadata"),
            "status": "in_progress",
            "created_at": 0,
            "polls": 0,
        }
        return _json(self.batches[name])

    def _look(self, name: str) -> LoopbackResponse:
        batch = self.batches[name]
        batch["polls"] += 1
        if batch["status"] == "in_progress" and batch["polls"] >= self._polls:
            good, bad = self._lines(self._files[batch["input_file_id"]])
            for place, lines in (("output_file_id", good), ("error_file_id", bad)):
                batch[place] = json.loads(self._keep(b"".join(lines)).content)["id"] if lines else None
            batch["status"] = "completed"
        return _json(batch)

    def _lines(self, content: bytes) -> tuple[list[bytes], list[bytes]]:
        good: list[bytes] = []
        bad: list[bytes] = []
        for text in content.splitlines():
            line = json.loads(text)
            request = LoopbackRequest("POST", line["url"], {}, json.dumps(line["body"]).encode())
            response = self._chat(request)
            if not response.reset:
                (good if response.status == 200 else bad).append(batch_line(line["custom_id"], response))
        return good, bad


def batch_line(call: str, response: LoopbackResponse) -> bytes:
    """Encode the output line of a provider for a batch call, identified by its ``custom_id``."""
    content = {"status_code": response.status, "request_id": "", "body": json.loads(response.content)}
    return json.dumps({"id": "", "custom_id": call, "response": content, "error": None}).encode() + b"\n"


async def read_request(reader: asyncio.StreamReader) -> LoopbackRequest | None:
    """Read the next request of a connection; None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        return LoopbackRequest(method, path, headers, await _chunks(reader))
    return LoopbackRequest(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    content = b""
    while size := int(await reader.readline(), 16):
        content += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return content


def encode_response(response: LoopbackResponse) -> bytes:
    """Encode a response for the wire; chunked content must already be encoded."""
    headers = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
    reason = REASONS.get(response.status, "Other")
    length = "" if "transfer-encoding" in response.headers else f"content-length: {len(response.content)}\r\n"
    head = f"HTTP/1.1 {response.status} {reason}\r\n{headers}{length}\r\n"
    return head.encode("latin-1") + response.content


def _json(body: Mapping[str, Any]) -> LoopbackResponse:
    return LoopbackResponse(json.dumps(body).encode())
