"""Bodies that no good endpoint sends: each is read, or is a failure of its own call, kept and shown."""

import gzip
import json
import tracemalloc
from typing import Any

import pytest
from loopback_calls import HELLO, ask, numbered_requests

from kbe_graph.errors import ModelUnavailable, ReplyError
from kbe_graph.models import CallStore, Reply, summary
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.completion import read_completion
from kbe_graph.models.failures import CallFailed, failure_of_status
from kbe_graph.testing import LoopbackResponse, LoopbackServer, reply_with, web_page

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
        (reply_with("hello").content.replace(b'"created": 0', b'"created": ' + b"9" * 5000), "hello"),
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
        (body(choices=[None]), "no choices"),
        (body(choices=["x"]), "no choices"),
        (body(choices={}), "no choices"),
        (body(choices="x"), "no choices"),
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
    kept = [len(raw) for (raw,) in store.reader.execute("SELECT raw FROM failures")]
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


def test_a_kept_reply_that_the_parser_stumbles_over_is_asked_again(store: CallStore) -> None:
    def stumble(reply: Reply) -> None:
        _ = {"ok": 1}[reply.text]

    with LoopbackServer([reply_with("hm")]) as server:
        ask(server, store)
        assert ask(server, store, check=stumble).text == "ok"


def test_a_page_ends_the_run_only_where_nothing_was_ever_answered(store: CallStore) -> None:
    with LoopbackServer(otherwise=web_page()) as server, pytest.raises(ModelUnavailable, match="ends in /v1"):
        ask(server, store, patience=0.5)
    with LoopbackServer([reply_with("hello")], otherwise=web_page()) as server:
        ask(server, store)
        with pytest.raises(ReplyError, match="did not return JSON") as caught:
            ask(server, store, numbered_requests(1)[0])
    assert caught.value.kind == "broken"


def test_a_page_for_two_seconds_is_outwaited(store: CallStore) -> None:
    with LoopbackServer([web_page()] * 3) as server:
        assert ask(server, store, HELLO).text == "ok"


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


def stream(*chunks: object, end: str = "data: [DONE]") -> bytes:
    return "\n\n".join([": PROCESSING", *(f"data: {json.dumps(chunk)}" for chunk in chunks), end]).encode()


def test_a_stream_is_put_together_and_one_that_breaks_off_is_broken() -> None:
    said = [{"model": "m", "choices": [{"delta": {"content": part}}]} for part in ('{"a"', ": 1}")]
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    reply = read_completion(stream(*said, end, usage))
    assert (reply.text, reply.finish, reply.model, reply.usage) == ('{"a": 1}', "stop", "m", Usage(7, 0, 2))
    assert read_completion(stream(*said)).text == '{"a": 1}'
    for raw, kind in (
        (stream(*said, end=""), "broken"),
        (stream(*said)[:-40], "broken"),
        (stream(*said, {"choices": [{"delta": {}, "finish_reason": "length"}]}), "cut"),
        (stream(*said, {"choices": [{"delta": {}, "finish_reason": "content_filter"}]}), "filtered"),
        (stream({"error": {"message": "busy", "code": 503}}), "server"),
        (stream(), "empty"),
    ):
        with pytest.raises(CallFailed) as failed:
            read_completion(raw)
        assert failed.value.fault.kind == kind


@pytest.mark.parametrize(
    "said",
    [
        "This model only support stream mode, please enable the stream parameter to access the model.",
        "Non-streaming requests are not supported",
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "stream must be true",
    ],
)
def test_an_endpoint_that_answers_in_a_stream_alone_is_told_with_what_to_set(said: str) -> None:
    failed = failure_of_status(400, {}, json.dumps({"error": {"message": said}}).encode())
    assert "set stream = true in [models.body]" in str(failed.error(model="m", url="u", step="hop"))
