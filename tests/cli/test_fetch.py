"""``kbe load --fetch`` on bad days: killed, interrupted, on a full disk; what was fetched is never asked for again."""

import io
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import KBE, environment, kbe_here
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer
from PIL import Image

from kbe_graph.store import Address

pytestmark = pytest.mark.long
NUMBER = 20
FETCH = ("--name", "b", "--fetch", "--local-hosts", "--contact", "me@example.org")


def bitmap(number: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (200, 100), (number, 0, 0)).save(stream, "BMP")
    return stream.getvalue()


def respond(request: LoopbackRequest) -> LoopbackResponse:
    name = Path(request.path).stem
    if not name.isdecimal():
        return LoopbackResponse(status=404)
    return LoopbackResponse(bitmap(int(name)), headers={"content-type": "image/bmp"}, delay=0.1)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(files=respond) as server:
        yield server


def write_rows(folder: Path, server: LoopbackServer) -> Path:
    rows = [
        {"question": "Which?", "answer": "red", "image_url": f"http://127.0.0.1:{server.port}/{number}.bmp"}
        for number in range(NUMBER)
    ]
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def saved(work: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (work / ".kbe" / "images").iterdir()}


def stop_midway(work: Path, file: Path, server: LoopbackServer, address: Address, number: int) -> tuple[int, str]:
    """Send the signal to a load when some pictures were fetched; return how it ended and its last line."""
    process = subprocess.Popen(
        [KBE, "-w", work, "load", file, *FETCH], stderr=subprocess.PIPE, text=True, env=environment(address)
    )
    end = time.monotonic() + 60
    while len(server.requests) < NUMBER // 3 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    return process.returncode, (said.splitlines() or [""])[-1]


@pytest.mark.parametrize(
    ("number", "code", "last"),
    [
        (signal.SIGKILL, -9, "fetch: "),
        (signal.SIGTERM, 143, "ended by SIGTERM; re-run the command to resume"),
    ],
)
def test_a_load_that_was_stopped_goes_on_where_it_was(
    number: int, code: int, last: str, server: LoopbackServer, empty_graph: Address, tmp_path: Path
) -> None:
    file, work = write_rows(tmp_path, server), tmp_path / "W"
    kbe_here("-w", work, "init")
    ended, line = stop_midway(work, file, server, empty_graph, number)
    assert (ended, line.startswith(last)) == (code, True)
    assert 0 < len(server.requests) < NUMBER
    kbe_here("-w", work, "load", file, *FETCH, address=empty_graph)
    asked = Counter(request.path for request in server.requests)
    assert (len(asked), asked.total() <= NUMBER + 2) == (NUMBER, True)  # the two on their way are asked for again
    assert sorted(saved(work).values()) == sorted(map(bitmap, range(NUMBER)))
    kbe_here("-w", tmp_path / "alone", "init")
    kbe_here("-w", tmp_path / "alone", "load", file, *FETCH, address=empty_graph)
    assert saved(tmp_path / "alone") == saved(work)
