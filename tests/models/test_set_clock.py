"""A clock that is set, back or forward, between two commands: what failed is tried as often, and waits are as long."""

import pytest
from loopback_calls import ask
from loopback_server import LoopbackServer, reply_with

from kbe_graph.errors import ReplyError
from kbe_graph.models import CallStore

YEARS = 10 * 365 * 86_400.0


def test_a_call_is_tried_as_often_after_the_clock_was_set(store: CallStore) -> None:
    counts = []
    with LoopbackServer(otherwise=reply_with("")) as server:
        for shift in (YEARS, -YEARS, 3600, -3600):
            before = len(server.requests)
            with pytest.raises(ReplyError):
                ask(server, store)
            counts.append(len(server.requests) - before)
            store.database.execute("UPDATE failures SET at = at + ?", (shift,))
    assert counts == [2] * 4
