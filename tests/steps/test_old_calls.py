"""A file of calls made by an earlier version still answers: no call is paid for twice across versions."""

import shutil
from pathlib import Path

from loopback_calls import HELLO, ask
from loopback_server import LoopbackServer, reply_with
from model_cases import answer_step, asking, go, samples

from kbe_graph.models import CallStore, Request
from kbe_graph.store import Store

OLD = Path(__file__).parents[1] / "data" / "calls"
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
REQUESTS = (
    HELLO,
    Request("judge", HELLO.messages, draw=2),
    Request("guess", HELLO.messages, schema=SCHEMA, max_tokens=50),
    Request("answer", HELLO.messages, images=(OLD / "0.jpg",)),
)


def test_a_run_made_by_an_earlier_version_is_made_again_without_a_request(
    embedded_store: Store, tmp_path: Path
) -> None:
    shutil.copy(OLD / "calls.sqlite", tmp_path)
    chosen = samples(tmp_path)
    for picture in OLD.glob("*.jpg"):
        shutil.copy(picture, tmp_path)
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, asking(verify=True), hops=2, chosen=chosen)
    assert server.requests == []
    assert len(list(embedded_store.questions(run="r", hop=1))) == 3


def test_requests_of_all_kinds_are_answered_by_the_old_file(tmp_path: Path) -> None:
    shutil.copy(OLD / "calls.sqlite", tmp_path)
    calls = CallStore(tmp_path / "calls.sqlite")
    with LoopbackServer(otherwise=reply_with("new")) as server:
        replies = [ask(server, calls, request) for request in REQUESTS]
        replies.append(ask(server, calls, revision="2024-06", temperature=0.5, body={"top_p": 0.9}))
    calls.close()
    assert [(reply.text, reply.cached) for reply in replies] == [("old", True)] * 5
    assert server.requests == []
