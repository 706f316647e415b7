"""Serves the pages of ``kbe explore`` for a test, and sends requests without a browser, valid or not."""

import contextlib
import http.client
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import quick_kbe
from commands import environment

LIMIT = 60.0


class Served(NamedTuple):
    """A running explorer: its address, the session cookie, and the server process."""

    base: str
    cookie: str
    process: "subprocess.Popen[str]"

    @property
    def place(self) -> str:
        """The host and port as in a request's header."""
        return urlsplit(self.base).netloc

    def ask(self, path: str, *, method: str = "GET", body: str = "", **headers: str) -> tuple[int, str]:
        """Send a request without a browser, which would not allow such headers."""
        with contextlib.closing(http.client.HTTPConnection(self.place, timeout=LIMIT)) as connection:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in {"Cookie": self.cookie, "Content-Length": str(len(body)), **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body.encode())
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")

    def query(self, cypher: str, **fields: object) -> tuple[int, str]:
        """Send a query to the console."""
        body = urlencode({"cypher": cypher, **fields})
        return self.ask("/console", method="POST", body=body, Origin=self.base)

    def head(self, method: str = "GET", path: str = "/", *more: str, version: str = "HTTP/1.1") -> bytes:
        """Build the head of an authorised request, with more lines at its end."""
        lines = [f"{method} {path} {version}", f"Host: {self.place}", f"Cookie: {self.cookie}", f"Origin: {self.base}"]
        return "\r\n".join([*lines, "Connection: close", *more, "", ""]).encode("latin-1")

    def send(self, data: bytes, *, cut: bool = False) -> bytes:
        """Send raw bytes, end the stream if ``cut``, and return the response."""
        host, _, port = self.place.rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port)), timeout=LIMIT) as connection:
            parts = []
            with contextlib.suppress(OSError):  # the server may respond before the request is complete
                connection.sendall(data)
                if cut:
                    connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65_536):
                    parts.append(part)
        return b"".join(parts)


def status_of(answer: bytes) -> int:
    """Return the status of a response, 0 if there was none."""
    words = answer.partition(b"\r\n")[0].split()
    return int(words[1]) if len(words) > 1 else 0


@contextlib.contextmanager
def explored(workspace: Path, *options: object, warm: int = 0) -> Iterator[Served]:
    """Serve the pages of a workspace and log in."""
    command = [quick_kbe.path(), "-w", str(workspace), "explore", "--no-browser", *map(str, options)]
    own = environment() | {"KBE_GRAPH_WARM": str(warm)}
    with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip() if process.stdout else ""
        assert address, process.communicate()[1]
        try:
            yield entered(address, process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)


def entered(address: str, process: "subprocess.Popen[str]") -> Served:
    """Log in with a printed link, which leads to any page that it names."""
    printed = urlsplit(address)
    status, headers = ask_at(printed.netloc, f"/samples?q=a+b&{printed.query}")
    assert (status, headers["location"]) == (303, f"http://{printed.netloc}/samples?q=a+b")
    assert "HttpOnly" in headers["set-cookie"]
    return Served(f"http://{printed.netloc}", headers["set-cookie"].partition(";")[0], process)


def ask_at(place: str, path: str) -> tuple[int, dict[str, str]]:
    """Send a request to a host and port without a cookie, and return the response's status and headers."""
    with contextlib.closing(http.client.HTTPConnection(place, timeout=LIMIT)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}
