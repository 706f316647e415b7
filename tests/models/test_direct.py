import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_calls import HELLO, ask, numbered_requests, run_work
from PIL import Image

from kbe_graph.errors import ConfigError, KbeError, ModelUnavailable, QuotaReached, ReplyError
from kbe_graph.models import CallStore, Images, Request, summary
from kbe_graph.testing import (
    LoopbackResponse,
    LoopbackServer,
    connection_reset,
    cut_reply,
    error_response,
    filtered_reply,
    late_response,
    quota_used_up,
    refusal_reply,
    reply_with,
    reply_without_content,
    response_without_choices,
    too_many_requests,
    web_page,
)


def test_a_reply_tells_its_text_tokens_and_call(store: CallStore) -> None:
    with LoopbackServer([reply_with("hello", prompt=50, cached=20, output=3)]) as server:
        reply = ask(server, store)
    assert (reply.text, reply.usage, reply.finish, reply.cached) == ("hello", (50, 20, 3), "stop", False)
    kept = store.get(reply.call)
    assert kept is not None
    assert (kept.status, kept.usage) == ("done", (50, 20, 3))


def test_the_same_request_again_is_not_paid_again(store: CallStore) -> None:
    with LoopbackServer([reply_with("hello")]) as server:
        first, second = ask(server, store), ask(server, store)
    assert len(server.requests) == 1
    assert (second.text, second.call, second.cached) == (first.text, first.call, True)
    assert [(line.calls, line.hits) for line in summary(store).lines] == [(1, 1)]


def test_the_same_request_twice_at_once_is_one_call(store: CallStore) -> None:
    with LoopbackServer(latency=0.1) as server:
        run_work(server, store, lambda model: asyncio.gather(*(model.ask(HELLO) for _ in range(5))))
    assert len(server.requests) == 1


def test_another_draw_setting_or_picture_is_another_call(store: CallStore, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    Image.new("RGB", (8, 8), "blue").save(tmp_path / "blue.png")
    requests = [
        HELLO,
        Request(HELLO.step, HELLO.messages, draw=1),
        Request(HELLO.step, HELLO.messages, max_tokens=5),
        Request(HELLO.step, HELLO.messages, schema={"type": "object"}),
        Request(HELLO.step, HELLO.messages, images=(tmp_path / "red.png",)),
        Request(HELLO.step, HELLO.messages, images=(tmp_path / "blue.png",)),
    ]
    with LoopbackServer() as server:
        replies = [ask(server, store, request) for request in requests]
        replies += [ask(server, store, revision="2024-06"), ask(server, store, temperature=0.5)]
    assert len({reply.call for reply in replies}) == 8
    assert len(server.requests) == 8


def test_what_an_endpoint_cannot_take_is_not_sent(store: CallStore) -> None:
    able = {"json_schema": False, "seed": False, "temperature": False, "completion_tokens": True}
    request = Request(HELLO.step, HELLO.messages, schema={"type": "object"})
    with LoopbackServer() as server:
        ask(server, store, request, capabilities=able)
        ask(server, store, request, body={"reasoning_effort": "low"})
    first, second = (asked.json for asked in server.requests)
    assert first["response_format"] == {"type": "json_object"}
    assert not {"seed", "temperature", "max_tokens"} & set(first)
    assert first["max_completion_tokens"] == 1024
    assert second["response_format"]["json_schema"] == {"name": "extract", "schema": {"type": "object"}}
    assert (second["temperature"], second["seed"], second["reasoning_effort"]) == (0, 0, "low")


def test_a_picture_goes_before_the_last_text_with_the_same_bytes_each_time(store: CallStore, tmp_path: Path) -> None:
    Image.effect_noise((1200, 600), 80).convert("RGB").save(tmp_path / "noise.png")
    with LoopbackServer() as server:
        for draw in range(2):
            request = Request("extract", HELLO.messages, images=(tmp_path / "noise.png",), draw=draw)
            ask(server, store, request, images=Images(tmp_path / "kept"))
    first, second = (asked.json["messages"] for asked in server.requests)
    assert [part["type"] for part in first[1]["content"]] == ["image_url", "text"]
    assert first == second
    assert [file.suffix for file in (tmp_path / "kept").iterdir()] == [".jpg"]


@pytest.mark.parametrize(
    ("trouble", "error", "words"),
    [
        (error_response(401, "Incorrect API key", code="invalid_api_key"), ConfigError, "rejects the key"),
        (error_response(403, "no access"), ConfigError, "does not allow"),
        (error_response(404, "The model `m` does not exist", code="model_not_found"), ConfigError, "no model 'm'"),
        (error_response(400, "image input is not supported by this model"), ConfigError, "does not accept pictures"),
        (
            error_response(500, "image input is not supported - hint: provide the mmproj"),
            ConfigError,
            "does not accept pictures",
        ),
        (
            error_response(400, "Unsupported parameter: 'top_k'", code="unsupported_parameter"),
            ConfigError,
            r"models\.capabilities",
        ),
        (quota_used_up(), QuotaReached, "no credit left"),
        (error_response(402, "Insufficient credits"), QuotaReached, "no credit left"),
        (response_without_choices("You exceeded your current quota"), QuotaReached, "no credit left"),
        (error_response(400, "Could not process image"), ReplyError, "rejects the request"),
        (
            error_response(400, "maximum context length is 8192 tokens", code="context_length_exceeded"),
            ReplyError,
            "longer than",
        ),
        (error_response(400, "filtered", code="content_filter"), ReplyError, "content filter"),
        (error_response(400, "rejected", code="content_policy_violation"), ReplyError, "content filter"),
        (error_response(403, "Your input was flagged by moderation"), ReplyError, "content filter"),
        (error_response(400, "Input may contain inappropriate content", code="x"), ReplyError, "content filter"),
        (error_response(403, "This key may not use it"), ConfigError, "does not allow this key"),
        (
            error_response(429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000"),
            ReplyError,
            "longer than",
        ),
        (refusal_reply(), ReplyError, "refused"),
        (filtered_reply(), ReplyError, "content filter"),
        (cut_reply("half a"), ReplyError, "raise max_tokens"),
    ],
)
def test_what_cannot_be_helped_is_not_asked_again(
    store: CallStore, trouble: LoopbackResponse, error: type[KbeError], words: str
) -> None:
    with LoopbackServer([reply_with("ok"), trouble]) as server:
        ask(server, store, numbered_requests(1)[0])
        with pytest.raises(error, match=words):
            ask(server, store)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "troubles",
    [
        [too_many_requests(retry_after=0.2)],
        [too_many_requests(), too_many_requests()],
        [error_response(503, "overloaded"), error_response(500, "oops")],
        [connection_reset()],
        [web_page(), web_page()],
        [response_without_choices(), response_without_choices("upstream error")],
        [reply_without_content()],
        [reply_with("")],
        [late_response(5.0), late_response(5.0)],
    ],
)
def test_what_passes_is_asked_again(store: CallStore, troubles: list[LoopbackResponse]) -> None:
    with LoopbackServer([*troubles, reply_with("at last")]) as server:
        reply = ask(server, store, timeout=0.5)
    assert (reply.text, len(server.requests)) == ("at last", len(troubles) + 1)


@pytest.mark.parametrize(
    ("trouble", "tries", "error", "words"),
    [
        (web_page(), 5, ModelUnavailable, "check that base_url ends in /v1"),
        (response_without_choices(), 3, ReplyError, "without choices"),
        (reply_without_content(), 2, ReplyError, "empty reply"),
        (late_response(9.0), 3, ModelUnavailable, "raise timeout"),
    ],
)
def test_what_does_not_pass_is_given_up(
    store: CallStore, trouble: LoopbackResponse, tries: int, error: type[KbeError], words: str
) -> None:
    with LoopbackServer(otherwise=trouble) as server, pytest.raises(error, match=words):
        ask(server, store, timeout=0.2)
    assert len(server.requests) == tries


def test_a_connection_cut_is_not_taken_for_a_timeout(store: CallStore) -> None:
    with LoopbackServer(otherwise=connection_reset()) as server, pytest.raises(ModelUnavailable, match="no connection"):
        ask(server, store, patience=1)
    assert 1 < len(server.requests) < 7


def test_a_server_that_is_not_there_is_told_as_such(store: CallStore) -> None:
    with LoopbackServer() as server:
        pass
    with pytest.raises(ModelUnavailable, match="check that the server is up"):
        ask(server, store, patience=0.5)


def test_azure_is_asked_at_the_deployment_with_its_own_key_header(store: CallStore) -> None:
    with LoopbackServer(key="secret") as server:
        reply = ask(server, store, base_url=server.url.removesuffix("/v1"), key="secret", api_version="2024-10-21")
    assert reply.text == "ok"
    assert server.requests[0].path == "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    assert server.requests[0].headers["api-key"] == "secret"


def test_nothing_heavy_is_imported_with_the_room_of_the_models() -> None:
    heavy = ("openai", "aiohttp", "PIL", "tenacity")
    code = f"import sys, kbe_graph.models; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_calls_go_by_the_proxy_of_the_environment_but_for_hosts_it_leaves_out(
    store: CallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = "http://model.invalid/v1"
    with LoopbackServer() as proxy, LoopbackServer() as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1").replace("//", "//user:word@"))
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
        near_request, far_request = numbered_requests(2)
        ask(server, store, near_request)
        ask(server, store, far_request, base_url=far, key="k")
    assert [request.path for request in proxy.requests] == [f"{far}/chat/completions"]
    assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")
    assert len(server.requests) == 1


def test_a_login_that_the_machine_keeps_for_the_host_does_not_take_the_place_of_the_key(
    store: CallStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login someone password secret\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with LoopbackServer() as server:
        ask(server, store, key="mine")
    assert server.requests[0].headers["authorization"] == "Bearer mine"
