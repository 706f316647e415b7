"""A run whose calls all fail alike is stopped, with what was said and what to set."""

import asyncio
from collections.abc import Sequence

import pytest
from loopback_calls import numbered_requests, run_work

from kbe_graph.errors import ModelError, ReplyError
from kbe_graph.models import CallStore, DirectModel
from kbe_graph.models.call_summary import failed_calls
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, cut_reply, error_response, reply_with


async def all_of(model: DirectModel, count: int) -> Sequence[object]:
    """Ask one after the other, as many as go, and return how each ended."""
    ends: list[object] = []
    for request in numbered_requests(count):
        (end,) = await asyncio.gather(model.ask(request), return_exceptions=True)
        ends.append(end)
    return ends


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (
            cut_reply("half"),
            r"20 of the first 20 calls of step 'extract' failed in the same way \(cut: .*raise max_tokens in",
        ),
        (error_response(400, "The prompt is odd"), r"The prompt is odd.*\[models.capabilities\]"),
        (error_response(400, "no", code="content_filter"), r"filtered: .*choose another model or endpoint"),
    ],
)
def test_twenty_first_calls_that_fail_alike_stop_the_run(store: CallStore, bad: LoopbackResponse, words: str) -> None:
    with LoopbackServer(otherwise=bad) as server:
        ends = run_work(server, store, lambda model: all_of(model, 30))
        assert len([request for request in server.requests if "number" in request.text]) == 20
    assert [type(end) for end in ends] == [ReplyError] * 19 + [ModelError] * 11
    with pytest.raises(ModelError, match=words):
        raise ends[-1]
    assert "`work.models.failed_calls()`" in str(ends[-1])


def test_the_same_command_then_asks_all_of_them_again(store: CallStore) -> None:
    with LoopbackServer(otherwise=cut_reply("half")) as server:
        run_work(server, store, lambda model: all_of(model, 30))
    with LoopbackServer() as server:
        ends = run_work(server, store, lambda model: all_of(model, 30))
    assert not [end for end in ends if isinstance(end, BaseException)]


def test_a_fifth_that_can_be_used_is_enough(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return reply_with("ok") if request.text.endswith(("0", "5")) else cut_reply("half")

    with LoopbackServer(otherwise=answer) as server:
        ends = run_work(server, store, lambda model: all_of(model, 40))
    assert {type(end).__name__ for end in ends} == {"Reply", "ReplyError"}


def test_what_fails_again_and_again_beside_good_replies_stops_no_later_run(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return cut_reply("half") if int(request.text.split()[1]) < 25 else reply_with("ok")

    async def good_ones_first(model: DirectModel) -> Sequence[object]:
        return await asyncio.gather(*map(model.ask, reversed(numbered_requests(50))), return_exceptions=True)

    with LoopbackServer(otherwise=answer) as server:
        run_work(server, store, good_ones_first, in_flight=1)
        ends = run_work(server, store, lambda model: all_of(model, 25))
    assert {type(end) for end in ends} == {ReplyError}


def test_where_nothing_was_of_use_the_end_says_so(store: CallStore) -> None:
    async def work(model: DirectModel) -> None:
        await all_of(model, 3)
        model.check_end()

    with (
        LoopbackServer(otherwise=cut_reply("half")) as server,
        pytest.raises(ModelError, match=r"none of 3 calls returned a usable reply \(cut: "),
    ):
        run_work(server, store, work)
    with LoopbackServer([reply_with("ok")], otherwise=cut_reply("half")) as server:
        run_work(server, store, work)


def test_what_was_said_to_each_failed_call_can_be_shown(store: CallStore) -> None:
    bad = (cut_reply("half a\nword" * 100), error_response(400, "The prompt\nis odd " * 99))
    with LoopbackServer([reply_with("ok"), *bad]) as server:
        run_work(server, store, lambda model: all_of(model, 3))
    shown = failed_calls(store, limit=10)
    assert [(call.kind, call.step) for call in shown] == [("request", "extract"), ("cut", "extract")]
    assert shown[0].message.startswith("400: The prompt is odd")
    assert shown[1].reply.startswith("half a wordhalf a word")
    assert all(len(text) <= 200 for call in shown for text in call)
    assert len(failed_calls(store, limit=1)) == 1
