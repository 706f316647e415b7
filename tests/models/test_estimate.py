from typing import Any

import pytest
from loopback_calls import HELLO, ask, book, numbered_requests
from loopback_server import LoopbackServer

from kbe_graph.models import CallStore, ModelBook, Request
from kbe_graph.models.catalogue import picture_tokens
from kbe_graph.models.cost import estimate

PRICED = ModelBook(
    {"base_url": "http://127.0.0.1:1/v1", "model": "m", "price": {"input": 2.0, "output": 8.0}, "max_tokens": 100},
    environ={},
)


def test_an_estimate_counts_each_call_once_and_what_is_there_as_free(store: CallStore) -> None:
    with LoopbackServer() as server:
        ask(server, store, HELLO)
        requests = [HELLO, *numbered_requests(3), *numbered_requests(3)]
        found = estimate(requests, book(server), store)
    assert (found.calls, found.hits, found.dollars) == (3, 1, 0.0)


def test_tokens_are_told_from_the_prompt_and_half_the_longest_reply(store: CallStore) -> None:
    request = Request("extract", (("system", "x" * 4000), ("user", "y" * 400)))
    found = estimate([request], PRICED, store)
    assert (found.prompt, found.output) == (1100 + 12, 50)
    assert found.dollars == pytest.approx((1112 * 2 + 50 * 8) / 1e6)


CACHING = {"input": 2.0, "cached": 0.5, "output": 8.0}


def calls_that_begin_alike(count: int, characters: int) -> list[Request]:
    return [Request("extract", (("system", "x" * characters), ("user", f"number {at}"))) for at in range(count)]


@pytest.mark.parametrize(
    ("characters", "settings", "cached"), [(4 * 1300, {}, 2 * 1280), (4 * 1300, {"cached_from": 0}, 0)]
)
def test_calls_that_begin_alike_pay_less_for_their_beginning_after_the_first(
    store: CallStore, characters: int, settings: dict[str, Any], cached: int
) -> None:
    section = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "price": CACHING, "max_tokens": 100}
    found = estimate(calls_that_begin_alike(3, characters), ModelBook(section | settings, environ={}), store)
    price = {"cached": 2.0} | section["price"] | settings.get("price", {})  # type: ignore[operator]
    assert found.cached == cached
    fresh = (found.prompt - cached) * 2.0
    assert found.dollars == pytest.approx((fresh + cached * price["cached"] + found.output * 8.0) / 1e6)


def test_a_picture_costs_what_its_model_counts() -> None:
    for model, detail, tokens in [
        ("gpt-4o-2024-08-06", "", 765),
        ("gpt-4o", "low", 85),
        ("gpt-5-mini", "", 934),
        ("claude-sonnet-4-5", "", 787),
        ("gemini-2.5-flash", "", 258),
        ("Qwen/Qwen2.5-VL-72B-Instruct", "", 784),
        ("of-nobody", "", 784),
    ]:
        assert picture_tokens(model, 768, detail) == tokens, (model, detail, tokens)
