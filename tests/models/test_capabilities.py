"""What an endpoint does not take is learnt once, told, kept, and gone without."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from loopback_calls import HELLO, ask, book, numbered_requests, run_work
from PIL import Image

from kbe_graph.errors import ConfigError
from kbe_graph.models import CallStore, DirectModel, Request, summary
from kbe_graph.models.batch_files import FileModel, apply_replies
from kbe_graph.testing import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    batch_line,
    error_response,
    reply_with,
)

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
ASKED = Request("extract", HELLO.messages, schema=SCHEMA)
MISTRAL = (
    '{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], '
    '"msg": "Extra inputs are not permitted", "input": 0}]}'
)
GEMINI = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
DEEPSEEK = "This response_format type is unavailable now"
O_SERIES = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
O_WARMTH = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)


def refusing(said: LoopbackResponse, field: str, value: Any = None) -> Any:
    """Return an endpoint that refuses a field, or a value of it."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        sent = request.json.get(field)
        is_refused = sent is not None if value is None else isinstance(sent, dict) and sent.get("type") == value
        return said if is_refused else reply_with('{"ok": true}')

    return answer


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (LoopbackResponse(MISTRAL.encode(), 422), "seed", None),
        (error_response(400, GEMINI), "seed", None),
        (error_response(400, DEEPSEEK), "response_format", "json_schema"),
        (error_response(400, "response_format json_schema and json_object are not supported"), "response_format", None),
        (error_response(400, O_SERIES, code="unsupported_parameter"), "max_tokens", None),
        (error_response(400, O_WARMTH, code="unsupported_value"), "temperature", None),
        (error_response(422, "max_completion_tokens: Extra inputs are not permitted"), "max_completion_tokens", None),
    ],
)
def test_a_field_that_is_refused_by_name_is_learnt_once_and_gone_without(
    store: CallStore, said: LoopbackResponse, field: str, value: Any
) -> None:
    told: list[str] = []
    settings = {"capabilities": {"completion_tokens": True}} if field == "max_completion_tokens" else {}
    with LoopbackServer(otherwise=refusing(said, field, value)) as server:
        first = ask(server, store, ASKED, tell=told.append, **settings)
        asked = len(server.requests)
        ask(server, store, Request("extract", (("user", "another"),), schema=SCHEMA), tell=told.append, **settings)
        assert ask(server, store, ASKED, **settings).call == first.call
        assert len(server.requests) == asked + 1
    assert asked <= 3
    assert 1 <= len(told) <= 2
    assert all("does not accept" in line and "leave it out" in line for line in told)
    assert summary(store).lines[0].failures == {}


def test_all_fields_that_a_message_names_are_learnt(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        strangers = [name for name in ("seed", "temperature", "max_tokens") if name in request.json]
        said = "; ".join(f"unexpected field {name!r}" for name in strangers)
        return error_response(400, said) if strangers else reply_with("ok")

    with LoopbackServer(otherwise=answer) as server:
        assert ask(server, store).text == "ok"
        assert len(server.requests) == 2
        assert "max_completion_tokens" in server.requests[-1].json


def test_calls_that_were_out_meanwhile_go_again_without_a_failure(store: CallStore) -> None:
    answer = refusing(error_response(400, GEMINI), "seed")

    async def work(model: DirectModel) -> None:
        await asyncio.gather(*map(model.ask, numbered_requests(30)))

    with LoopbackServer(otherwise=answer, latency=0.1) as server:
        run_work(server, store, work)
    line = summary(store).lines[0]
    assert (line.calls, line.failures) == (30, {})


def test_a_refusal_that_names_no_field_is_looked_into_by_the_probe(store: CallStore) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return error_response(400, "Bad request") if "seed" in request.json else reply_with('{"ok": true}')

    told: list[str] = []
    with LoopbackServer(otherwise=answer) as server:
        assert ask(server, store, ASKED, tell=told.append).text == '{"ok": true}'
        asked = len(server.requests)
        assert asked <= 9
        ask(server, store, numbered_requests(1)[0])
        assert len(server.requests) == asked + 1
    assert [line.partition(" with ")[0].rpartition(" ")[2] for line in told] == ["'seed'"]


def test_pictures_that_are_refused_without_a_word_end_the_run_with_the_reason(store: CallStore, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        seen = isinstance(request.json["messages"][-1]["content"], list)
        return error_response(400, "Bad request") if seen else reply_with('{"ok": true}')

    with LoopbackServer(otherwise=answer) as server, pytest.raises(ConfigError, match="does not accept pictures"):
        ask(server, store, Request("extract", HELLO.messages, images=(tmp_path / "a.png",)))


def test_what_a_wave_was_refused_for_is_left_out_of_the_next(store: CallStore, tmp_path: Path) -> None:
    def wave() -> tuple[Path, ...]:
        model = FileModel(book(server), store, tmp_path)
        asyncio.run(_all(model))
        return model.close()

    async def _all(model: FileModel) -> None:
        await asyncio.gather(*map(model.ask, numbered_requests(3)), return_exceptions=True)

    with LoopbackServer() as server:
        for response in (error_response(400, GEMINI), reply_with("ok")):
            (file,) = wave()
            bodies = file.read_text()
            calls = [line.split('"')[3] for line in bodies.splitlines()]
            back = tmp_path / "back.jsonl"
            back.write_bytes(b"".join(batch_line(call, response) for call in calls))
            apply_replies(back, book(server), store)
        assert '"seed"' not in bodies
        assert wave() == ()
    assert summary(store).lines[0].failures == {}
