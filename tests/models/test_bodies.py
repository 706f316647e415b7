"""Bodies that no good endpoint sends: each is read, or is a failure of its own call, kept and shown."""

import gzip
import json
import tracemalloc
from typing import Any

import pytest
from loopback_calls import ask
from loopback_server import LoopbackResponse, LoopbackServer, reply_with

from kbe_graph.errors import ReplyError
from kbe_graph.models import CallStore, Reply, Request, summary

GOOD = json.loads(reply_with("hello").content)


def body(**fields: Any) -> LoopbackResponse:
    return LoopbackResponse(json.dumps(GOOD | fields).encode())


def choice(**fields: Any) -> LoopbackResponse:
    return body(choices=[GOOD["choices"][0] | fields])


def test_what_can_be_read_is_read(store: CallStore) -> None:
    hello = reply_with("hello").content
    parts = [{"type": "text", "text": 5}, {"type": "text", "text": "hello"}]
    for content, text in (
        (reply_with("half \ud83d").content, "half ?"),
        (b"\xef\xbb\xbf" + hello, "hello"),
        (hello.replace(b"hello", b"h\xffllo"), "h\ufffdllo"),
        (choice(message={"content": parts}).content, "hello"),
    ):
        request = Request("extract", (("user", repr(content)),))
        with LoopbackServer([LoopbackResponse(content)]) as server:
            assert ask(server, store, request).text == text
            assert ask(server, store, request).cached


def test_what_cannot_be_read_is_a_failure_of_its_call_alone(store: CallStore) -> None:
    for number, (bad, kind) in enumerate(
        (
            (body(choices=[None]), "broken"),
            (choice(message="x"), "empty"),
            (LoopbackResponse(b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}"), "broken"),
            (reply_with("x" * 5_000_000), "invalid"),
        )
    ):
        with LoopbackServer(otherwise=bad) as server, pytest.raises(ReplyError) as caught:
            ask(server, store, Request("extract", (("user", f"{number}"),)))
        assert caught.value.kind == kind
    kept = [len(raw) for (raw,) in store.database.execute("SELECT raw FROM failures")]
    assert all(0 < size <= 100_000 for size in kept)


def test_a_reply_that_the_parser_stumbles_over_is_kept_as_invalid(store: CallStore) -> None:
    def stumble(_: Reply) -> None:
        raise RecursionError

    with LoopbackServer() as server, pytest.raises(ReplyError, match="RecursionError") as caught:
        ask(server, store, check=stumble)
    assert (caught.value.kind, caught.value.reply) == ("invalid", "ok")
    assert summary(store).lines[0].failures == {"invalid": 2}


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
