import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from loopback_calls import HELLO, ask, numbered_requests, run_work
from loopback_server import LoopbackServer, cut_reply, reply_with

from kbe_graph.errors import ConfigError, ReplyError
from kbe_graph.models import Budget, CallStore, DirectModel, Reply, summary

PRICE = {
    "price": {"input": 1000.0, "cached": 100.0, "output": 10_000.0}
}  # dollars per million: a token is a tenth of a cent


def long_enough(reply: Reply) -> None:
    if len(reply.text) < 5:
        raise ReplyError("too short", reply=reply.text)


def test_an_invalid_reply_is_kept_apart_and_asked_again_with_another_seed(store: CallStore) -> None:
    with LoopbackServer([reply_with("hm"), reply_with("hello there")]) as server:
        reply = ask(server, store, check=long_enough)
    assert reply.text == "hello there"
    assert [asked.json["seed"] for asked in server.requests] == [0, 1]
    assert [(line.calls, line.failures) for line in summary(store).lines] == [(1, {"invalid": 1})]


def test_what_failed_is_asked_again_by_the_next_run_and_never_counts_as_done(store: CallStore) -> None:
    with LoopbackServer([cut_reply("half"), reply_with("hello")]) as server:
        with pytest.raises(ReplyError) as caught:
            ask(server, store)
        assert (caught.value.kind, caught.value.reply) == ("cut", "half")
        assert ask(server, store).text == "hello"
    line = summary(store).lines[0]
    assert (line.calls, line.hits, line.failures) == (1, 0, {"cut": 1})


def test_the_summary_counts_tokens_and_dollars_of_replies_and_failures(store: CallStore) -> None:
    with LoopbackServer([reply_with("a", prompt=100, cached=40, output=10), cut_reply("b")]) as server:
        ask(server, store, HELLO, **PRICE)
        with pytest.raises(ReplyError):
            ask(server, store, numbered_requests(1)[0], **PRICE)
    total = summary(store, questions=2)
    line = total.lines[0]
    assert (line.prompt, line.cached, line.output) == (200, 40, 20)
    assert total.dollars == pytest.approx(0.06 + 0.004 + 0.1 + 0.1 + 0.1)
    assert total.dollars_a_question == pytest.approx(total.dollars / 2)


def test_hits_cost_nothing_of_a_budget(store: CallStore) -> None:
    with LoopbackServer() as server:
        ask(server, store)
        assert ask(server, store, budget=Budget(calls=0)).cached


def test_no_budget_is_held_without_a_price() -> None:
    from kbe_graph.models import ModelBook, Request
    from kbe_graph.models.images import Images
    from kbe_graph.models.request import call_of

    book = ModelBook({"model": "of-nobody", "key": "k"}, environ={})
    call = call_of(Request("judge", (("user", "x"),)), book.settings_for("judge"), Images())
    with pytest.raises(ConfigError, match=r"set \[models.judge.price\]"):
        asyncio.run(Budget(5.0).reserve(call))


KILLED = """
import asyncio, sys
from pathlib import Path
from kbe_graph.models import CallStore, DirectModel, ModelBook, Request

async def main():
    store = CallStore(Path(sys.argv[2]))
    book = ModelBook({"base_url": sys.argv[1], "model": "m", "in_flight": 20}, environ={})
    async with DirectModel(book, store) as model:
        await asyncio.gather(*(model.ask(Request("extract", (("user", f"number {n}"),))) for n in range(300)))

asyncio.run(main())
"""


def test_after_a_kill_no_call_is_paid_twice_but_those_in_flight(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    with LoopbackServer(latency=0.05) as server:
        worker = subprocess.Popen([sys.executable, "-c", KILLED, server.url, str(file)])
        while len(server.requests) < 100:
            time.sleep(0.01)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        store = CallStore(file)
        line = summary(store).lines[0]
        asked, kept, cut_off = len(server.requests), line.calls, line.asking
        assert 0 < cut_off <= 20
        assert asked - kept <= 20
        subprocess.run([sys.executable, "-c", KILLED, server.url, str(file)], check=True)
        assert len(server.requests) - asked == 300 - kept
        assert [(line.calls, line.asking) for line in summary(store).lines] == [(300, 0)]
        store.close()


def test_calls_that_are_out_are_waited_for_at_the_end_and_the_others_dropped(store: CallStore) -> None:
    async def leave(model: DirectModel) -> None:
        for request in numbered_requests(10):
            asyncio.get_running_loop().create_task(model.ask(request)).add_done_callback(
                lambda task: task.cancelled() or task.exception()
            )
        await asyncio.sleep(0.2)

    with LoopbackServer(latency=0.5) as server:
        run_work(server, store, leave, in_flight=4)
    assert len(server.requests) == 4
    assert summary(store).lines[0].calls == 4
