"""Bodies that no good endpoint sends: each is read, or is a failure of its own call, kept and shown."""

import gzip
import json
import tracemalloc
from typing import Any

import pytest
from loopback_calls import ask, numbered_requests
from loopback_server import LoopbackResponse, LoopbackServer, reply_with

from kbe_graph.errors import ReplyError
from kbe_graph.models import CallStore, Reply, summary

HM = numbered_requests(1)[0]
GOOD = json.loads(reply_with("hello").content)


def body(**fields: Any) -> LoopbackResponse:
    return LoopbackResponse(json.dumps(GOOD | fields).encode())


def choice(**fields: Any) -> LoopbackResponse:
    return body(choices=[GOOD["choices"][0] | fields])


def failures(store: CallStore) -> dict[str, int]:
    return summary(store).lines[0].failures


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (reply_with("half \ud83d").content, "half ?"),
        (b"\xef\xbb\xbf" + reply_with("hello").content, "hello"),
        (reply_with("hello").content.replace(b"hello", b"h\xffllo"), "h\ufffdllo"),
        (
            choice(message={"content": [{"type": "text", "text": 5}, {"type": "text", "text": "hello"}]}).content,
            "hello",
        ),
    ],
)
def test_what_can_be_read_is_read(store: CallStore, content: bytes, text: str) -> None:
    with LoopbackServer([LoopbackResponse(content)]) as server:
        assert ask(server, store).text == text
        assert ask(server, store).cached


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": "100", "completion_tokens": "7"}, (100, 0, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": [1]}, (100, 0, 7)),
        (
            {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 900}},
            (100, 100, 7),
        ),
        ({"prompt_tokens": 100, "completion_tokens": -5}, (100, 0, 0)),
        ({"prompt_tokens": -1, "completion_tokens": "many"}, None),
        ({"prompt_tokens": [], "completion_tokens": float("inf")}, None),
        ("100", None),
    ],
)
def test_tokens_that_are_no_numbers_are_estimated(store: CallStore, usage: Any, tokens: tuple[int, ...] | None) -> None:
    with LoopbackServer([body(usage=usage)]) as server:
        told = ask(server, store).usage
    assert told == tokens if tokens else told.prompt > 0 < told.output


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (body(choices=[None]), "broken"),
        (body(choices=["x"]), "broken"),
        (body(choices={}), "broken"),
        (body(choices="x"), "broken"),
        (choice(message="x"), "empty"),
        (choice(message={"content": {"text": "x"}}), "empty"),
        (LoopbackResponse(reply_with("hello").content[:-40]), "broken"),
        (LoopbackResponse(b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}"), "broken"),
        (reply_with("x" * 5_000_000), "invalid"),
    ],
)
def test_what_cannot_be_read_is_a_failure_of_its_call_alone(store: CallStore, bad: LoopbackResponse, kind: str) -> None:
    with LoopbackServer(otherwise=bad) as server, pytest.raises(ReplyError) as caught:
        ask(server, store)
    assert caught.value.kind == kind
    assert failures(store) == {kind: len(server.requests)}
    kept = [len(raw) for (raw,) in store.database.execute("SELECT raw FROM failures")]
    assert all(0 < size <= 100_000 for size in kept)


@pytest.mark.parametrize(
    "error", [RecursionError("deep"), ValueError("4300 digits"), KeyError("x"), TypeError("\ud83d")]
)
def test_a_reply_that_the_parser_stumbles_over_is_kept_as_invalid(store: CallStore, error: Exception) -> None:
    def stumble(_: Reply) -> None:
        raise error

    with LoopbackServer() as server, pytest.raises(ReplyError, match=type(error).__name__) as caught:
        ask(server, store, check=stumble)
    assert (caught.value.kind, caught.value.reply) == ("invalid", "ok")
    assert failures(store) == {"invalid": 2}


def test_a_kept_reply_that_cannot_be_read_any_more_is_told_and_asked_once_more(store: CallStore) -> None:
    def stumble(reply: Reply) -> None:
        _ = {"ok": 1}[reply.text]

    told: list[str] = []
    with LoopbackServer([reply_with("hm"), reply_with("ok"), reply_with("hm"), reply_with("hm")]) as server:
        ask(server, store)
        assert ask(server, store, check=stumble, tell=told.append).text == "ok"
        ask(server, store, HM)
        with pytest.raises(ReplyError):
            ask(server, store, HM, check=stumble, tell=told.append)
        assert len(server.requests) == 4
    assert [line.partition(" (")[0] for line in told] == ["a kept reply of step 'extract' cannot be read"] * 2


def test_of_a_body_that_never_ends_no_more_is_read_than_tells_so(store: CallStore) -> None:
    """A packed quarter of a megabyte would unpack to a quarter of a gigabyte in memory."""
    packed = gzip.compress(b"x" * (1 << 28))
    bomb = LoopbackResponse(packed, headers={"content-type": "application/json", "content-encoding": "gzip"})
    tracemalloc.start()
    try:
        with LoopbackServer(otherwise=bomb) as server, pytest.raises(ReplyError, match="more than 4,000,000 bytes"):
            ask(server, store)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
