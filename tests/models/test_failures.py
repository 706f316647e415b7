"""A call that fails: tried again where that may help, then one question lost, or the run ended with one clear line."""

import asyncio
import time

import pytest
from loopback_calls import HELLO, ask, numbered_requests, run_work
from loopback_server import (
    LoopbackRequest,
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

from kbe_graph.errors import ConfigError, KbeError, ModelError, ModelUnavailable, QuotaReached, ReplyError
from kbe_graph.models import CallStore, DirectModel, Request, summary

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
ONCE: tuple[tuple[LoopbackResponse, type[KbeError], str], ...] = (
    (error_response(401, "Incorrect API key"), ConfigError, "rejects the key"),
    (quota_used_up(), QuotaReached, "no credit left"),
    (error_response(402, "Insufficient credits"), QuotaReached, "no credit left"),
    (response_without_choices("You exceeded your current quota"), QuotaReached, "no credit left"),
    (error_response(403, "not yours"), ReplyError, "gave no reply"),
    (error_response(404, "The model does not exist"), ReplyError, "gave no reply"),
    (error_response(302, "moved", location="http://a.invalid/v1"), ReplyError, "final address"),
    (error_response(400, "maximum context length", code="context_length_exceeded"), ReplyError, "longer than"),
    (error_response(429, "Request too large for m on tokens per min"), ReplyError, "longer than"),
    (error_response(400, "filtered", code="content_filter"), ReplyError, "content filter"),
    (error_response(403, "Your input was flagged by moderation"), ReplyError, "content filter"),
    (refusal_reply(), ReplyError, "refused"),
    (filtered_reply(), ReplyError, "content filter"),
    (cut_reply("half a"), ReplyError, "raise max_tokens"),
)
PASSING = (
    [too_many_requests(retry_after=0.2)],
    [error_response(503, "overloaded"), error_response(500, "oops")],
    [connection_reset()],
    [web_page(), response_without_choices()],
    [reply_without_content()],
    [late_response(5.0)],
)


def test_what_cannot_be_helped_is_asked_once(store: CallStore) -> None:
    with LoopbackServer([reply_with("ok")]) as server:
        ask(server, store, Request("extract", (("user", "first"),)))
        for number, (trouble, error, words) in enumerate(ONCE):
            server.otherwise = trouble
            with pytest.raises(error, match=words):
                ask(server, store, numbered_requests(number + 1)[number])
            assert len(server.requests) == number + 2, words


def test_what_passes_is_asked_again(store: CallStore) -> None:
    for number, troubles in enumerate(PASSING):
        with LoopbackServer([*troubles, reply_with("at last")]) as server:
            reply = ask(server, store, numbered_requests(number + 1)[number], timeout=0.5)
        assert (reply.text, len(server.requests)) == ("at last", len(troubles) + 1), number


def test_a_server_that_is_not_there_ends_the_run(store: CallStore) -> None:
    with LoopbackServer() as server:
        pass
    with pytest.raises(ModelUnavailable, match="check that the server is up"):
        ask(server, store, patience=0.5)


def test_one_request_that_always_fails_costs_one_question(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return error_response(status, "oops") if request.text == "number 0" else reply_with(request.text)

    async def one_after_the_other(model: DirectModel) -> list[object]:
        await model.ask(HELLO)
        return [
            (await asyncio.gather(model.ask(request), return_exceptions=True))[0] for request in numbered_requests(3)
        ]

    with LoopbackServer(otherwise=answer) as server:
        for status in (400, 403, 404, 418, 429, 500):
            bad, *others = run_work(server, store, one_after_the_other, patience=0.6)
            assert isinstance(bad, ReplyError), status
            assert not any(isinstance(each, Exception) for each in others), status


def test_a_step_that_never_had_a_reply_ends_the_run_after_its_first_calls(store: CallStore) -> None:
    async def work(model: DirectModel) -> None:
        await asyncio.gather(*map(model.ask, numbered_requests(60)), return_exceptions=True)
        await model.ask(HELLO)

    with LoopbackServer(otherwise=error_response(400, "The request is odd"), latency=0.01) as server:
        with pytest.raises(
            ModelError, match=r"first 20 calls of step 'extract' all failed .*The request is odd.*drop;"
        ):
            run_work(server, store, work, in_flight=4)
        assert len(server.requests) < 30


def test_what_to_do_fits_how_the_last_call_failed(store: CallStore) -> None:
    async def work(model: DirectModel) -> None:
        await asyncio.gather(*map(model.ask, numbered_requests(3)), return_exceptions=True)
        model.check_end()

    for number, (failure, advice) in enumerate(
        (
            (error_response(418, "no"), "check base_url and model, and name the fields .* drop; look"),
            (reply_with(""), "look"),
        )
    ):
        with (
            LoopbackServer(otherwise=failure) as server,
            pytest.raises(ModelError, match=rf"\)+; {advice} at the failed"),
        ):
            run_work(server, store, work, model=f"model-{number}")


def test_where_every_request_with_a_schema_fails_one_without_it_is_tried(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        has_format = "response_format" in request.json
        return error_response(400, "Bad request") if has_format else reply_with('{"ok": true}')

    told: list[str] = []
    requests = [Request("extract", (("user", f"{number}"),), schema=SCHEMA) for number in range(6)]

    async def work(model: DirectModel) -> None:
        await asyncio.gather(*map(model.ask, requests[:4]))
        await model.ask(requests[4])

    with LoopbackServer(otherwise=answer) as server:
        run_work(server, store, work, tell=told.append)
        assert len(server.requests) <= 4 + 4 + 1
        before = len(server.requests)
        ask(server, store, requests[5])
        assert [len(server.requests), len(told)] == [before + 1, 1]
        run_work(server, store, work)
        assert len(server.requests) == before + 1
    assert "does not accept 'response_format'" in told[0]
    assert summary(store).lines[0].calls == 6


def test_a_server_that_fails_or_writes_blanks_only_with_a_schema_is_asked_once_without(store: CallStore) -> None:
    blanks = '{"ok":' + " " * 3000
    for number, trouble in enumerate((error_response(500, "ParserTooComplex"), cut_reply(blanks))):

        def answer(request: LoopbackRequest, trouble: LoopbackResponse = trouble) -> LoopbackResponse:
            return trouble if "response_format" in request.json else reply_with('{"ok": true}')

        request = Request("extract", (("user", f"odd {number}"),), schema=SCHEMA)
        with LoopbackServer(otherwise=answer) as server:
            assert ask(server, store, request, patience=0.1).text == '{"ok": true}'
    with LoopbackServer(otherwise=cut_reply(blanks)) as server, pytest.raises(ReplyError, match="wrote blanks up to"):
        ask(server, store, Request("extract", (("user", "always"),), schema=SCHEMA))


def test_the_rate_that_is_set_is_held(store: CallStore) -> None:
    async def work(model: DirectModel) -> None:
        await asyncio.gather(*map(model.ask, numbered_requests(30)))

    with LoopbackServer() as server:
        begun = time.monotonic()
        run_work(server, store, work, requests_per_minute=1200)
    assert 0.3 < time.monotonic() - begun < 5
