"""A clock that is set, back or forward, between two commands: what failed is tried as often, and waits are as long."""

import time
from email.utils import formatdate

import pytest
from loopback_calls import HELLO, ask, run_work

from kbe_graph.files.politeness import retry_after
from kbe_graph.models import CallStore, DirectModel, Request
from kbe_graph.models.call_store import SqlWrite
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.rate_limit import wait_hint
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, error_response, reply_with

YEARS = 10 * 365 * 86_400.0
MOST = 20


async def refuse_all(model: DirectModel) -> int:
    """Return after how many refused replies a call is given up."""
    for count in range(1, MOST):
        reply = await model.ask(HELLO)
        if not await model.refuse(reply, "extract", CallFailed("invalid", "nobody can read it")):
            return count
    return MOST


@pytest.mark.parametrize("shift", [YEARS, -YEARS, 3600, -3600])
def test_a_call_is_tried_as_often_after_the_clock_was_set(store: CallStore, shift: float) -> None:
    with LoopbackServer(otherwise=reply_with("hm")) as server:
        tries = run_work(server, store, refuse_all)
        store.write([SqlWrite(f"UPDATE {table} SET at = at + ?", (shift,)) for table in ("failures", "given_up")])
        again = [run_work(server, store, refuse_all) for _ in range(2)]
    assert 1 < tries < MOST
    assert again == [tries, tries]


@pytest.mark.parametrize(("shift", "asked"), [(0, 1), (YEARS, 2), (-YEARS, 2)])
def test_what_an_endpoint_does_not_take_is_tried_again_where_it_was_learnt_at_another_time(
    store: CallStore, shift: float, asked: int
) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return error_response(400, "unexpected field 'seed'") if "seed" in request.json else reply_with("ok")

    with LoopbackServer(otherwise=answer) as server:
        ask(server, store)
        store.write([SqlWrite("UPDATE probes SET at = at + ?", (shift,))])
        before = len(server.requests)
        ask(server, store, Request("extract", (("user", "another"),)))
        assert len(server.requests) == before + asked


@pytest.mark.parametrize("shift", [0, YEARS, -YEARS, 3600])
def test_a_time_that_an_answer_names_is_one_of_its_own_clock(shift: float) -> None:
    then, date = formatdate(time.time() + shift + 400, usegmt=True), formatdate(time.time() + shift, usegmt=True)
    assert wait_hint({"retry-after": then, "date": date}) == pytest.approx(400, abs=2)
    assert wait_hint({"x-ratelimit-reset": f"{time.time() + shift + 400:.0f}", "date": date}) == pytest.approx(
        400, abs=2
    )
    assert retry_after(then, date) == pytest.approx(400, abs=2)
    assert retry_after(then) == pytest.approx(max(0, 400 + shift), abs=30), "an answer without a date"
