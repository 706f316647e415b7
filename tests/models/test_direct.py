import asyncio
from pathlib import Path

import pytest
from loopback_calls import HELLO, ask, numbered_requests, run_work
from loopback_server import (
    LoopbackServer,
    reply_with,
)
from PIL import Image

from kbe_graph.models import CallStore, Images, Request, summary


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
    dropped = ["seed", "temperature", "max_tokens"]
    as_json = {"response_format": {"type": "json_object"}}
    request = Request(HELLO.step, HELLO.messages, schema={"type": "object"})
    with LoopbackServer() as server:
        ask(server, store, request, drop=dropped, body=as_json)
        ask(server, store, request, body={"reasoning_effort": "low"})
        ask(server, store, HELLO, body=as_json)
    first, second, plain = (asked.json for asked in server.requests)
    assert "response_format" not in plain
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


def test_azure_is_asked_at_the_deployment_with_its_own_key_header(store: CallStore) -> None:
    with LoopbackServer(key="secret") as server:
        reply = ask(server, store, base_url=server.url.removesuffix("/v1"), key="secret", api_version="2024-10-21")
    assert reply.text == "ok"
    assert server.requests[0].path == "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    assert server.requests[0].headers["api-key"] == "secret"


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
