"""How long an endpoint is waited for, and how fast it is asked after that."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from loopback_calls import HELLO, ask, numbered_requests, run_work

from kbe_graph.errors import ModelUnavailable, ReplyError
from kbe_graph.models import CallStore, DirectModel
from kbe_graph.models.rate_limit import AdaptiveRate, wait_hint
from kbe_graph.testing import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    error_response,
    reply_with,
    too_many_requests,
)


def in_seconds(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"retry-after": "3"}, "", 3),
        ({"retry-after-ms": "250", "retry-after": "9"}, "", 0.25),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, "Limit 30000, Used 29000. Please try again in 4.0s. Visit", 4),
        ({}, "Please try again in 6m12s", 372),
        ({}, "Please retry after 20 seconds", 20),
        ({}, "please wait 250ms", 0.25),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, "", 1),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-reset-tokens": "6m0s",
                "x-ratelimit-remaining-tokens": "0",
            },
            "",
            360,
        ),
        ({"x-ratelimit-reset": "1e400"}, "", None),
        ({}, "Rate limit reached", None),
    ],
)
def test_what_an_answer_asks_to_wait(headers: dict[str, str], message: str, seconds: float | None) -> None:
    hint = wait_hint(headers, message)
    assert hint is None if seconds is None else hint == pytest.approx(seconds)


@pytest.mark.parametrize(("seconds", "expected"), [(400, 400), (-400, 0)])
def test_a_time_of_day_is_what_an_answer_asks_to_wait_for(seconds: float, expected: float) -> None:
    then = in_seconds(seconds)
    for headers in (
        {"retry-after": format_datetime(then, usegmt=True)},
        {"x-ratelimit-reset": f"{then.timestamp() * 1000:.0f}"},
        {"x-ratelimit-reset-requests": then.isoformat()},
    ):
        assert wait_hint(headers) == pytest.approx(expected, abs=30)


def test_a_wait_beyond_the_patience_ends_the_run_with_the_hour(store: CallStore) -> None:
    begun = time.monotonic()
    with (
        LoopbackServer(otherwise=too_many_requests(retry_after=7200)) as server,
        pytest.raises(ModelUnavailable, match=r"asks clients to wait until .*\d\d:\d\d .*run the same command then"),
    ):
        run_work(
            server,
            store,
            lambda model: asyncio.gather(*map(model.ask, numbered_requests(8))),
            in_flight=2,
        )
    assert time.monotonic() - begun < 30


def test_patience_counts_from_the_last_answer_to_any_call(store: CallStore) -> None:
    """One call is refused for longer than the patience, while others are answered."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        unlucky = request.text == "number 0" and time.monotonic() < begun + 2.0
        return too_many_requests(retry_after=0.2) if unlucky else reply_with(request.text)

    async def one_after_the_other(model: DirectModel) -> str:
        first = asyncio.create_task(model.ask(requests[0]))
        for request in requests[1:]:
            await model.ask(request)
            await asyncio.sleep(0.1)
        return (await first).text

    requests = numbered_requests(30)
    begun = time.monotonic()
    with LoopbackServer(otherwise=answer) as server:
        assert run_work(server, store, one_after_the_other, patience=1.0) == "number 0"


def test_a_call_that_alone_fails_is_given_up_and_the_run_goes_on(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return error_response(500, "oops") if request.text == "number 0" else reply_with(request.text)

    async def both(model: DirectModel) -> object:
        first = asyncio.create_task(model.ask(requests[0]))
        while len(server.requests) < 2:  # noqa: ASYNC110 - it is another thread that is waited for
            await asyncio.sleep(0.02)
        await model.ask(requests[1])
        (outcome,) = await asyncio.gather(first, return_exceptions=True)
        return outcome

    requests = numbered_requests(2)
    with LoopbackServer(otherwise=answer) as server:
        outcome = run_work(server, store, both, patience=1.0)
    assert isinstance(outcome, ReplyError)
    assert outcome.kind == "server"


def test_one_503_does_not_stop_the_other_calls(store: CallStore) -> None:
    with LoopbackServer([error_response(503, "busy", retry_after="3")]) as server:

        async def work(model: DirectModel) -> float:
            first = asyncio.create_task(model.ask(HELLO))
            while not server.requests:  # noqa: ASYNC110 - the same
                await asyncio.sleep(0.02)
            begun = time.monotonic()
            await asyncio.gather(*map(model.ask, numbered_requests(20)))
            seconds = time.monotonic() - begun
            await first
            return seconds

        assert run_work(server, store, work) < 2.5


def test_waiting_is_told(store: CallStore) -> None:
    told: list[str] = []
    with LoopbackServer([too_many_requests(retry_after=5.5)]) as server:
        ask(server, store, tell=told.append)
    assert len(told) == 1
    assert "asks clients to wait; continuing in 6 s" in told[0]


def test_after_a_storm_the_rate_comes_back_with_few_replies() -> None:
    """From the 2.5 a second that a storm left to the 300 that the endpoint bears, in less than fifteen seconds."""
    climb = AdaptiveRate()
    climb.rate = climb._measured = 2.5
    seconds = replies = 0.0
    while climb.rate < 300:
        climb.note_reply()
        replies += 1
        seconds += 1 / climb.rate
    assert replies < 500
    assert seconds < 15


def test_at_the_measured_rate_it_grows_as_slowly_as_ever() -> None:
    climb = AdaptiveRate()
    climb._measured, climb.rate = 20.0, 19.6
    for _ in range(80):
        climb.note_reply()
    assert 19.9 < climb.rate < 20.5


def test_the_last_call_that_fails_for_ever_is_given_up_alone_and_again_by_the_next_command(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return error_response(500, "oops") if request.text == "number 0" else reply_with(request.text)

    requests = numbered_requests(2)

    async def one_after_the_other(model: DirectModel) -> object:
        await model.ask(requests[1])
        (outcome,) = await asyncio.gather(model.ask(requests[0]), return_exceptions=True)
        return outcome

    with LoopbackServer(otherwise=answer) as server:
        outcomes = [run_work(server, store, one_after_the_other, patience=1.0) for _ in range(2)]
    assert [type(outcome) for outcome in outcomes] == [ReplyError, ReplyError]


def test_calls_that_fail_one_after_the_other_end_the_run(store: CallStore) -> None:
    async def one_after_the_other(model: DirectModel) -> list[object]:
        ends = []
        for request in numbered_requests(6):
            ends += await asyncio.gather(model.ask(request), return_exceptions=True)
        return ends

    with LoopbackServer([reply_with("ok")], otherwise=error_response(500, "oops")) as server:
        ends = run_work(server, store, one_after_the_other, patience=0.6)
    assert [type(end).__name__ for end in ends[1:5]] == ["ReplyError"] * 3 + ["ModelUnavailable"]
