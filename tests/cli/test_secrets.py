"""A key never shows: the command line against endpoints that send it back, then a search of all that was written."""

import json
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from commands import Done, done_here
from echoes import (
    BEARER,
    KEY,
    OF_A_CALL,
    OF_BATCHES,
    TOKEN,
    WHOLE,
    EchoingServer,
    by_question,
    in_a_line,
    leaks,
    replied,
    said,
    stored,
    usual,
)
from loopback_server import LoopbackRequest, LoopbackResponse
from model_cases import samples

from kbe_graph.store.engine import running

SETTINGS = f"""
[models]
patience = 0.2
in_flight = 1
[models.headers]
"X-Gateway-Token" = "{TOKEN}"
[models.judge]
base_url = "{{url}}"
model = "judge"
key = "$JUDGES_KEY"
"""
SECRETS = (KEY, TOKEN)


class Place:
    """A workspace, the endpoint that its commands ask, and all that they wrote to their streams."""

    def __init__(self, folder: Path, server: EchoingServer) -> None:
        self.folder, self.server = folder, server
        self.written: list[str] = []

    def kbe(self, *arguments: object, code: int | None = 0, **variables: str) -> Done:
        """Run a command with the keys in its environment, and look at what it wrote."""
        keys = {"KBE_API_KEY": KEY, "JUDGES_KEY": KEY, "KBE_BASE_URL": self.server.url}
        done = done_here("--debug", "-w", self.folder, *arguments, **keys | variables)
        assert code in {None, done.code}, done.err + done.out
        self.written += [done.out, done.err]
        assert leaks((done.out + done.err).encode(), *SECRETS) == [], arguments
        assert "bug in kbe" not in done.err, done.err
        return done

    @contextmanager
    def echoing(self, echo: Callable[[LoopbackRequest], LoopbackResponse | None]) -> Iterator[None]:
        """Let the endpoint answer so first."""
        self.server.echo = echo
        yield
        self.server.echo = lambda _: None


class Logged(logging.Handler):
    """Keeps what is logged by anybody, each record as a line."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(scope="module")
def logged() -> Iterator[Logged]:
    logger, driver, handler = logging.getLogger(), logging.getLogger("neo4j"), Logged()
    levels = logger.level, driver.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    driver.setLevel(logging.INFO)  # it tells each statement
    yield handler
    logger.setLevel(levels[0])
    driver.setLevel(levels[1])
    logger.removeHandler(handler)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("secrets")
    samples(folder)
    rows = [
        {"question_id": number, "image": "0.jpg", "question": f"What is in the picture of {kind}, my dear?"}
        | {"answer": "giraffe"}
        for number, kind in enumerate(OF_A_CALL)
    ]
    (folder / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    umask = os.umask(0)
    try:
        with EchoingServer() as server:
            place = Place(folder, server)
            place.kbe("init")
            with (folder / "kbe.toml").open("a") as stream:
                stream.write(SETTINGS.format(url=server.url))
            place.kbe("db", "start")
            place.kbe("load", folder / "own.jsonl", "--split", "val", "--images", folder)
            yield place
    finally:
        place.kbe("db", "stop", code=None)
        os.umask(umask)


@pytest.mark.usefixtures("logged")
def test_what_is_sent_back_to_a_call_is_neither_kept_nor_shown(place: Place) -> None:
    with place.echoing(by_question):
        done = place.kbe("extract", "--by", "model", "--model", "calls")
    assert f" of {len(OF_A_CALL)} samples" in done.out
    (asked, *_) = place.server.seen
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["x-gateway-token"] == TOKEN
    names = json.loads(place.kbe("query", "--json", "--cypher", "MATCH (e:Entity) RETURN e.name AS name").out)
    assert {"a sign of [key]"} <= {str(row["name"]).lower() for row in names}
    failures = json.loads(place.kbe("calls", "failures", "--json", "--limit", "500").out)
    assert len(failures) >= 5
    assert any("[key]" in call["message"] for call in failures)
    assert any("[key]" in call["reply"] for call in failures)
    place.kbe("calls")


@pytest.mark.parametrize("kind", OF_BATCHES)
def test_what_is_sent_back_to_a_batch_is_neither_kept_nor_shown(place: Place, kind: str) -> None:
    asking = ("extract", "--by", "model", "--replace", "--runner", "batch", "--model", f"batch {kind}")
    asked, echo = OF_BATCHES[kind]
    with place.echoing(lambda request: echo() if f"{request.method} {request.path}".startswith(asked) else None):
        place.kbe(*asking, code=1)


def test_the_replies_of_a_batch_or_a_file_hold_no_key(place: Place) -> None:
    place.server.line = in_a_line
    place.kbe("extract", "--by", "model", "--replace", "--runner", "batch", "--model", "lines", code=None)
    place.server.line = usual
    place.kbe("extract", "--by", "model", "--replace", "--runner", "file", "--model", "file")
    (wave,) = (place.folder / ".kbe" / "waves").glob("wave-*-file.jsonl")
    calls = [json.loads(line)["custom_id"] for line in wave.read_text().splitlines()]
    replies = [
        b'{"custom_id": "%b", "response": %b}'
        % (call.encode(), json.dumps({"status_code": 200, "body": body}).encode())
        for call, body in zip(calls, (json.loads(WHOLE), {"error": {"message": KEY}}), strict=False)
    ]
    (place.folder / "replies.jsonl").write_bytes(b"\n".join(replies))
    applied = ("calls", "take", place.folder / "replies.jsonl")
    assert "imported 1 replies; 1 failed" in place.kbe(*applied, "--model", "file").out
    (place.folder / "replies.jsonl").unlink()


def test_the_answers_that_a_model_gives_and_a_judge_s_words_hold_no_key(place: Place) -> None:
    place.kbe("evolve", "--run", "r", "--hops", "0", "--reselect", "all")
    evaluate = ("evaluate", "--run", "r", "--model", "subject", "--json", "--hops", "0")
    with place.echoing(lambda _: replied(f"giraffe {KEY}")()):
        place.kbe(*evaluate)
    answers = place.kbe("query", "--json", "--cypher", "MATCH ()-[a:ANSWERED]->() RETURN DISTINCT a.text AS text").out
    assert json.loads(answers) == [{"text": "giraffe [key]"}]
    with place.echoing(lambda _: replied(f"right, says {KEY}")()):
        place.kbe(*evaluate, "--judge", "model", code=None)
    with place.echoing(lambda _: said(401, f"no {BEARER}")()):
        place.kbe(*evaluate, "--judge", "model", code=1)
    place.kbe("evolve", "--run", "m", "--hops", "1", "--model", "m", code=None)
    place.kbe("export", "jsonl", place.folder / "out.jsonl", "--all")
    assert stat.S_IMODE((place.folder / "out.jsonl").stat().st_mode) == 0o666  # it was asked for: the umask rules


@pytest.mark.parametrize("runner", ["direct", "batch"])
def test_a_redirect_is_not_followed_and_told(place: Place, runner: str) -> None:
    with EchoingServer() as other:
        where = {"location": f"{other.url}/chat/completions?api_key={quote(KEY)}&x=1"}
        with place.echoing(lambda _: LoopbackResponse(b"", 307, where)):
            model = ("--model", f"redirect {runner}", "--runner", runner)
            err = place.kbe("evaluate", *model, code=1).err
    assert runner == "direct" or f"redirects to {other.url}/chat/completions?api_key=***&x=1" in err
    assert other.seen == []


def test_at_the_end_no_file_and_no_line_holds_a_key_and_others_may_read_none(place: Place, logged: "Logged") -> None:
    assert leaks(b"".join(_environment_and_arguments(place.folder)), *SECRETS) == []
    place.kbe("db", "stop")
    hidden = place.folder / ".kbe"
    kept = list(stored(place.folder))
    assert len(kept) > 100
    assert [where for where, content in kept if leaks(content, *SECRETS)] == [str(place.folder / "kbe.toml")]
    assert leaks("".join(place.written).encode(), *SECRETS) == []
    assert leaks("\n".join(logged.lines).encode(), *SECRETS) == []
    assert len(logged.lines) > 100
    assert [path for path in (hidden, *hidden.rglob("*")) if path.stat().st_mode & 0o077] == []


def _environment_and_arguments(folder: Path) -> Iterator[bytes]:
    """Give what others may see of the engine's process, where the system shows it."""
    record = running(folder / ".kbe")
    assert record is not None
    for name in ("environ", "cmdline"):
        with suppress(FileNotFoundError):
            yield Path("/proc", str(record.pid), name).read_bytes()
