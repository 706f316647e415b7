import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from loopback_calls import HELLO, ask, book, numbered_requests
from loopback_http import LoopbackRequest, LoopbackResponse, batch_line
from loopback_server import (
    LoopbackServer,
    connection_reset,
    error_response,
    reply_with,
)
from PIL import Image

from kbe_graph.errors import DatasetError, ModelError, ReplyAwaited
from kbe_graph.models import CallStore, ModelBook, Request, summary
from kbe_graph.models.batch import AppliedReplies, FileModel, apply_replies, run_batches
from kbe_graph.models.call_store import waiting_calls

OFFLINE = ModelBook({"base_url": "http://127.0.0.1:1/v1", "model": "m", "judge": {"model": "org/j:1"}}, environ={})


def wave(
    requests: list[Request], store: CallStore, folder: Path, model_book: ModelBook = OFFLINE, **most: int
) -> tuple[Path, ...]:
    """Write a wave of the requests whose replies are not there."""
    model = FileModel(model_book, store, folder)

    async def go() -> None:
        await asyncio.gather(*(model.ask(request) for request in requests), return_exceptions=True)

    asyncio.run(go())
    return model.close(**most)


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - it is another thread that is waited for
        await asyncio.sleep(0.01)


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def replies(file: Path, answers: list[tuple[str, LoopbackResponse]]) -> Path:
    file.write_bytes(b"".join(batch_line(call, answer) for call, answer in answers))
    return file


def test_a_wave_has_a_file_for_each_model_and_the_next_wave_only_what_is_new(store: CallStore, tmp_path: Path) -> None:
    files = wave([HELLO, HELLO, Request("judge", HELLO.messages)], store, tmp_path)
    assert [file.name for file in files] == ["wave-0001-m.jsonl", "wave-0001-org-j-1.jsonl"]
    assert waiting_calls(store) == {"wave-0001-m.jsonl": {"extract": 1}, "wave-0001-org-j-1.jsonl": {"judge": 1}}
    line = lines(files[0])[0]
    assert (line["method"], line["url"], line["body"]["model"]) == ("POST", "/v1/chat/completions", "m")
    assert len(lines(files[0])) == 1
    again = wave([HELLO, *numbered_requests(2)], store, tmp_path)
    assert [(file.name, len(lines(file))) for file in again] == [("wave-0002-m.jsonl", 2)]
    assert wave([HELLO], store, tmp_path) == ()


def test_part_of_the_replies_is_enough_and_taking_them_twice_does_no_harm(store: CallStore, tmp_path: Path) -> None:
    (file,) = wave(numbered_requests(3), store, tmp_path)
    calls = [line["custom_id"] for line in lines(file)]
    back = replies(tmp_path / "back.jsonl", [(calls[0], reply_with("a")), (calls[1], error_response(500, "b"))])
    assert apply_replies(back, OFFLINE, store) == AppliedReplies(1, 1, 0)
    assert apply_replies(replies(back, [(calls[0], reply_with("a"))]), OFFLINE, store) == AppliedReplies(0, 0, 1)
    line = summary(store).lines[0]
    assert (line.calls, line.waiting, line.failures) == (1, 1, {"server": 1})
    assert [len(lines(file)) for file in wave(numbered_requests(3), store, tmp_path)] == [1]


def test_a_bad_line_is_told_by_its_number_and_nothing_is_taken(store: CallStore, tmp_path: Path) -> None:
    (file,) = wave([HELLO], store, tmp_path)
    good = replies(tmp_path / "back.jsonl", [(lines(file)[0]["custom_id"], reply_with("hello"))]).read_text()
    for bad, words in (
        ('{"custom_id": "x"}', r"line 2: not a reply"),
        ('{"custom_id": "x", "response": {"status_code": 200, "body": {}}}', r"line 2: no call 'x' is waiting"),
    ):
        (tmp_path / "back.jsonl").write_text(f"{good}{bad}\n")
        with pytest.raises(DatasetError, match=words):
            apply_replies(tmp_path / "back.jsonl", OFFLINE, store)
    assert [(line.calls, line.waiting) for line in summary(store).lines] == [(0, 1)]


def test_a_file_holds_the_pictures_and_no_more_than_a_provider_takes(store: CallStore, tmp_path: Path) -> None:
    picture = tmp_path / "red one.png"
    Image.new("RGB", (8, 8), "red").save(picture)
    model = FileModel(OFFLINE, store, tmp_path)
    for number in range(5):
        with pytest.raises(ReplyAwaited):
            asyncio.run(model.ask(Request("extract", (("user", f"{number}"),), images=(picture,))))
    files = model.close(lines=2)
    assert {file.name: len(lines(file)) for file in files} == {
        "wave-0001-m.jsonl": 2,
        "wave-0002-m.jsonl": 2,
        "wave-0003-m.jsonl": 1,
    }
    sent = lines(files[0])[0]["body"]["messages"][0]["content"][0]["image_url"]["url"]
    assert sent.startswith("data:image/jpeg;base64,")


def test_a_batch_endpoint_is_driven_until_nothing_is_left(store: CallStore, tmp_path: Path) -> None:
    tried: list[str] = []

    def answer(asked: LoopbackRequest) -> LoopbackResponse:
        tried.append(asked.text)
        if asked.text == "number 3" and tried.count("number 3") == 1:
            return error_response(500, "oops")
        return (
            connection_reset() if asked.text == "number 4" and tried.count("number 4") == 1 else reply_with(asked.text)
        )

    with LoopbackServer(otherwise=answer, polls=3) as server:
        settings = book(server, price={"input": 10.0, "output": 10.0, "batch": 0.5})
        outcomes = []
        while wave(numbered_requests(6), store, tmp_path, settings, lines=4):
            outcomes.append(asyncio.run(run_batches("extract", settings, store, tmp_path, every=0.01)))
        assert outcomes == [AppliedReplies(4, 1, 0), AppliedReplies(2, 0, 0)]
        assert len(server.batches) == 3
        assert ask(server, store, numbered_requests(6)[4]).text == "number 4"
    line = summary(store).lines[0]
    assert (line.calls, line.waiting, line.failures) == (6, 0, {"server": 1})
    assert line.dollars == pytest.approx(6 * 110 * 10 / 1e6 / 2)


def test_a_batch_that_was_sent_is_not_sent_again(store: CallStore, tmp_path: Path) -> None:
    with LoopbackServer(polls=1_000_000) as server:
        settings = book(server)
        wave([HELLO], store, tmp_path, settings)

        async def interrupted() -> None:
            for batch in server.batches.values():
                batch["polls"] = 0
            task = asyncio.create_task(run_batches("extract", settings, store, tmp_path, every=0.01))
            await until(lambda: any(batch["polls"] for batch in server.batches.values()))
            task.cancel()
            await asyncio.wait([task])

        asyncio.run(interrupted())
        asyncio.run(interrupted())
        assert len(server.batches) == 1
        # as after a crash between the provider's answer and the note of it
        store.database.execute("DELETE FROM batches")
        asyncio.run(interrupted())
        assert len(server.batches) == 1


def test_a_batch_that_the_provider_refuses_ends_the_run_and_frees_its_calls(store: CallStore, tmp_path: Path) -> None:
    with LoopbackServer(polls=1_000_000) as server:
        settings = book(server)
        wave([HELLO], store, tmp_path, settings)

        async def go() -> None:
            task = asyncio.create_task(run_batches("extract", settings, store, tmp_path, every=0.01))
            await until(lambda: bool(server.batches))
            batch = next(iter(server.batches.values()))
            batch |= {"errors": {"data": [{"message": "billing limit"}]}, "status": "failed"}
            await task

        with pytest.raises(ModelError, match="billing limit"):
            asyncio.run(go())
        assert [len(lines(file)) for file in wave([HELLO], store, tmp_path, settings)] == [1]
