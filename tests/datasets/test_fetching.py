"""Pictures that a benchmark gives by address: fetched once and politely, kept, told where they cannot be had."""

import io
import json
import socket
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, connection_reset
from PIL import Image

from kbe_graph.datasets import Benchmark, read_benchmark
from kbe_graph.datasets.picture import PictureFetch
from kbe_graph.files.http import WebClient, WebError, WebSettings

ME = "me@example.org"


def jpeg(colour: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (24, 16), colour).save(stream, "JPEG")
    return stream.getvalue()


RED, BLUE = jpeg("red"), jpeg("blue")


def picture(content: bytes = RED, **headers: str) -> LoopbackResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return LoopbackResponse(content, headers={"content-type": "image/jpeg", **named})


def refused(status: int, **headers: str) -> LoopbackResponse:
    return LoopbackResponse(b"no", status, {name.replace("_", "-"): value for name, value in headers.items()})


class Pictures:
    """A server of pictures: what each path responds with, in turn, the last one for good."""

    def __init__(self) -> None:
        self.responses: dict[str, list[LoopbackResponse]] = {}
        self.server = LoopbackServer(files=self._respond)

    def _respond(self, request: LoopbackRequest) -> LoopbackResponse:
        responses = self.responses.get(request.path, [refused(404)])
        return responses.pop(0) if len(responses) > 1 else responses[0]

    def address(self, path: str, *responses: LoopbackResponse) -> str:
        """Respond at a path, and return its address."""
        self.responses[path] = list(responses) or [picture()]
        return f"http://127.0.0.1:{self.server.port}{path}"

    @property
    def asked(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(request.path for request in self.server.requests)


@pytest.fixture
def pictures() -> Iterator[Pictures]:
    served = Pictures()
    with served.server:
        yield served


def fetching(folder: Path, **settings: Any) -> PictureFetch:
    fast: dict[str, Any] = {"local_hosts": True, "pause": 0.01, "contact": ME, **settings}
    return PictureFetch(folder / "pictures.sqlite", folder / "images", WebSettings(**fast))


def load(addresses: list[str], fetch: PictureFetch, column: str = "image_url") -> Benchmark:
    rows = [
        {"id": number, "question": "Which?", "answer": "red", column: cell} for number, cell in enumerate(addresses, 1)
    ]
    return read_benchmark(rows, benchmark="b", save_images=fetch.folder, fetch=fetch)


def ledger(fetch: PictureFetch) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(fetch.ledger)) as database:
        return database.execute(
            "SELECT address, status, name, sha256, type, headers, problem FROM picture ORDER BY address"
        ).fetchall()


@pytest.mark.parametrize("column", ["image_url", "image", "coco_url", "image_path"])
def test_a_picture_is_saved_by_its_content_and_its_address_kept(
    column: str, pictures: Pictures, tmp_path: Path
) -> None:
    address = pictures.address("/val2014/COCO_val2014_000000000042.jpg", picture(etag='"x"', x_license="CC BY 4.0"))
    fetch = fetching(tmp_path)
    benchmark = load([address], fetch, column)
    (sample,) = benchmark.samples
    assert (fetch.folder / sample.image).read_bytes() == RED
    assert (sample.image_id, benchmark.missing_images, benchmark.reading.notes) == ("42", (), {})
    (row,) = ledger(fetch)
    assert row[:3] == (address, 200, sample.image)
    assert (row[3][:32], row[4], row[6]) == (sample.image.removesuffix(".jpg"), "image/jpeg", "")
    assert json.loads(row[5]) == {"etag": '"x"', "x-license": "CC BY 4.0"}


def test_two_rows_of_one_address_ask_once_and_a_second_load_not_at_all(pictures: Pictures, tmp_path: Path) -> None:
    addresses = [pictures.address("/a.jpg"), pictures.address("/b.jpg", picture(BLUE)), pictures.address("/a.jpg")]
    first = load(addresses, fetching(tmp_path))
    assert pictures.asked == {"/a.jpg": 1, "/b.jpg": 1}
    assert load(addresses, fetching(tmp_path)).samples == first.samples
    offline = PictureFetch(tmp_path / "pictures.sqlite", tmp_path / "images")
    assert load(addresses, offline).samples == first.samples
    assert pictures.asked.total() == 2


def test_a_server_is_told_who_asks_over_two_connections_at_most(pictures: Pictures, tmp_path: Path) -> None:
    addresses = [pictures.address(f"/{number}.jpg", LoopbackResponse(jpeg("red"), delay=0.05)) for number in range(8)]
    load(addresses, fetching(tmp_path))
    agents = {request.headers["user-agent"] for request in pictures.server.requests}
    assert [agent.split("/")[0] for agent in agents] == ["kbe-graph"]
    assert all(agent.endswith(f"({ME})") for agent in agents)
    assert pictures.server.most_in_flight == 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_pause_that_is_asked_for_is_kept(status: int, pictures: Pictures, tmp_path: Path) -> None:
    begin = time.monotonic()
    benchmark = load([pictures.address("/a.jpg", refused(status, retry_after="1"), picture())], fetching(tmp_path))
    assert time.monotonic() - begin >= 1
    assert (benchmark.reading.notes, pictures.asked["/a.jpg"]) == ({}, 2)


def test_a_pause_beyond_all_patience_is_left_to_a_later_run(pictures: Pictures, tmp_path: Path) -> None:
    addresses = [pictures.address(f"/{number}.jpg", refused(429, retry_after="3600")) for number in range(9)]
    fetch = fetching(tmp_path)
    benchmark = load(addresses, fetch)
    assert pictures.asked.total() <= 4
    waiting = "answered 429 Too Many Requests; it asks clients to wait 3600 s, so run the same command later"
    assert {*fetch.problems.values()} == {waiting, "skipped because 127.0.0.1 failed 3 times in a row"}
    assert benchmark.reading.notes == {"pictures that could not be fetched, each for the reason above": 9}


FAILURES: Mapping[str, tuple[Callable[[], LoopbackResponse], str, int]] = {
    "a width that the server does not give": (
        lambda: LoopbackResponse(b"Use a width\nof 500 px", 400, headers={"content-type": "text/plain"}),
        "answered 400 Bad Request: 'Use a width of 500 px'",
        1,
    ),
    "gone": (lambda: refused(404), "answered 404 Not Found", 1),
    "a page": (
        lambda: LoopbackResponse(b"<html>", headers={"content-type": "text/html"}),
        "not a picture, but text/html",
        1,
    ),
    "half a picture": (lambda: picture(RED[: len(RED) // 2]), "not a picture, but image/jpeg", 1),
    "cut": (lambda: LoopbackResponse(RED, cut=True), "cannot be reached, or closed the connection", 3),
    "reset": (connection_reset, "cannot be reached, or closed the connection", 3),
    "faulty": (lambda: refused(502), "answered 502", 3),
    "a file": (lambda: refused(302, location="file:///etc/passwd"), "leads to a 'file' address", 1),
    "a login": (
        lambda: refused(302, location="http://me:secret@x.org/"),
        "leads to 'x.org' with a login; remove it",
        1,
    ),
    "a loop": (lambda: refused(302, location="/x.jpg"), "redirects more than 5 times", 6),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_address_is_told_counted_and_asked_again_later(name: str, pictures: Pictures, tmp_path: Path) -> None:
    response, problem, times = FAILURES[name]
    bad, good = pictures.address("/x.jpg", response()), pictures.address("/good.jpg")
    fetch = fetching(tmp_path)
    benchmark = load([bad, good], fetch)
    assert [sample.image != "" for sample in benchmark.samples] == [False, True]
    assert benchmark.samples[0].image_id == ""
    assert (pictures.asked["/x.jpg"], pictures.asked["/good.jpg"]) == (times, 1)
    assert [*fetch.problems] == [bad]
    assert fetch.problems[bad].startswith(problem)
    assert benchmark.reading.notes == {"pictures that could not be fetched, each for the reason above": 1}
    assert [file.read_bytes() for file in fetch.folder.iterdir()] == [RED]
    pictures.address("/x.jpg", picture(BLUE))
    again = fetching(tmp_path)
    assert load([bad, good], again).reading.notes == {}
    assert (again.problems, pictures.asked["/good.jpg"]) == ({}, 1)


def test_hosts_of_this_machine_are_refused_unless_allowed(pictures: Pictures, tmp_path: Path) -> None:
    port = pictures.server.port
    addresses = [f"http://{host}:{port}/a.jpg" for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:7f00:1]")]
    fetch = fetching(tmp_path, local_hosts=False)
    load([*addresses, "http://169.254.169.254/latest", "http://10.0.0.1/a.jpg"], fetch)
    assert len(fetch.problems) == 6
    assert all(
        "on this machine or a private network; allow it with `local_hosts`" in why for why in fetch.problems.values()
    )
    assert pictures.asked.total() == 0


def test_a_server_that_drips_ends_at_the_patience() -> None:
    def drip(server: socket.socket) -> None:
        with suppress(OSError), server.accept()[0] as connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n")
            while True:
                connection.sendall(b" ")
                time.sleep(0.1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        dripping = threading.Thread(target=drip, args=(server,), daemon=True)
        dripping.start()
        began = time.monotonic()
        with WebClient(WebSettings(local_hosts=True, patience=1.0)) as client, pytest.raises(WebError):
            client.ask(f"http://127.0.0.1:{server.getsockname()[1]}/x")
    dripping.join(timeout=10)
    assert time.monotonic() - began < 20
