"""Bodies that no good endpoint sends: each is read, or is a failure of its own call, kept and shown."""

import gzip
import json
import tracemalloc
from typing import Any

import pytest
from loopback_calls import ask
from loopback_server import LoopbackResponse, LoopbackServer, reply_with

from kbe_graph.errors import ReplyError
from kbe_graph.models import CallStore, Request

GOOD = json.loads(reply_with("hello").content)


def body(**fields: Any) -> LoopbackResponse:
    return LoopbackResponse(json.dumps(GOOD | fields).encode())


def choice(**fields: Any) -> LoopbackResponse:
    return body(choices=[GOOD["choices"][0] | fields])


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
