"""A local SPARQL endpoint: pyoxigraph behind HTTP, with injected faults."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

import pyoxigraph


class Fault(NamedTuple):
    """A response sent in place of an answer; with the body None, half of the true one, under a correct length."""

    status: int
    body: str | None = ""
    kind: str = "text/plain"
    retry_after: str = ""


class Sparql(ThreadingHTTPServer):
    """Answers queries over a Turtle file; ``faults`` are used first, ``asked`` and ``agents`` record the requests."""

    daemon_threads = True

    def __init__(self, file: Path) -> None:
        self.store = pyoxigraph.Store()
        self.store.load(path=str(file), format=pyoxigraph.RdfFormat.TURTLE)
        self.faults: list[Fault] = []
        self.asked: list[str] = []
        self.agents: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/sparql"

    def answer(self, query: str) -> bytes:
        return self.store.query(query).serialize(format=pyoxigraph.QueryResultsFormat.JSON)


class _Handler(BaseHTTPRequestHandler):
    server: Sparql

    def do_POST(self) -> None:
        server = self.server
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        query = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())["query"][0]
        server.asked.append(query)
        server.agents.append(self.headers["User-Agent"])
        fault = server.faults.pop(0) if server.faults else None
        whole = server.answer(query)
        if fault is None:
            self._send(Fault(200, kind="application/sparql-results+json"), whole)
        else:
            self._send(fault, whole[: len(whole) // 2] if fault.body is None else fault.body.encode())
        server.at_once -= 1

    def _send(self, fault: Fault, body: bytes) -> None:
        self.send_response(fault.status)
        self.send_header("Content-Type", fault.kind)
        self.send_header("Content-Length", str(len(body)))
        if fault.retry_after:
            self.send_header("Retry-After", fault.retry_after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(file: Path) -> Iterator[Sparql]:
    """Yield a running endpoint on a Turtle file."""
    with Sparql(file) as server, running(server):
        yield server


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Run a server within the context."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
