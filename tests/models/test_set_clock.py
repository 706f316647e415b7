"""A clock that is set, back or forward, between two commands: what failed is tried as often, and waits are as long."""

import pytest
from loopback_calls import HELLO, run_work

from kbe_graph.models import CallStore, DirectModel
from kbe_graph.models.call_store import SqlWrite
from kbe_graph.models.failures import CallFailed
from kbe_graph.testing import LoopbackServer, reply_with

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
