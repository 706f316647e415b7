"""Calls to a loopback server, for the tests of the models."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from loopback_server import LoopbackServer

from kbe_graph.models import Budget, CallStore, DirectModel, Images, ModelBook, Reply, Request

HELLO = Request("extract", (("system", "Be brief."), ("user", "Say hello.")))


def book(server: LoopbackServer, **settings: Any) -> ModelBook:
    return ModelBook({"base_url": server.url, "model": "m", **settings}, environ={})


def run_work(
    server: LoopbackServer,
    store: CallStore,
    work: Callable[[DirectModel], Awaitable[Any]],
    *,
    budget: Budget | None = None,
    images: Images | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **settings: Any,
) -> Any:
    async def go() -> Any:
        async with DirectModel(book(server, **settings), store, budget=budget, images=images, tell=tell) as model:
            return await work(model)

    return asyncio.run(go())


def ask(server: LoopbackServer, store: CallStore, request: Request = HELLO, **more: Any) -> Reply:
    check = more.pop("check", None)
    reply: Reply = run_work(server, store, lambda model: model.ask(request, check), **more)
    return reply


def numbered_requests(count: int) -> list[Request]:
    return [Request("extract", (("user", f"number {number}"),)) for number in range(count)]
