"""Limits of calls and dollars: what a command says that it sent is what a real server counted, and each gets on."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loopback_calls import book, numbered_requests
from loopback_server import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    connection_reset,
    error_response,
    reply_with,
    too_many_requests,
)

from kbe_graph.errors import BudgetReached, ReplyError
from kbe_graph.folder import create_folder
from kbe_graph.models import Budget, DirectModel, Request, summary
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_budget, open_call_store

PRICE = {"input": 1000.0, "cached": 100.0, "output": 10_000.0}
MOST = 60  # commands that are given until all is done


@dataclass
class Commands:
    """The same command, given again and again until it is not stopped by its limit; what each said, and was sent."""

    budgets: list[Budget] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    dropped: int = 0

    @property
    def made(self) -> list[int]:
        return [budget.calls_made for budget in self.budgets]


def give(folder: Path, server: LoopbackServer, requests: Sequence[Request], then: int = 0, **limits: Any) -> Commands:
    """Ask all requests at once, each with so many others ``then``, in command after command, and return what came."""
    settings = limits.pop("settings", {})
    commands, opened = Commands(), create_folder(folder)

    async def ask_one(model: DirectModel, request: Request) -> bool:
        try:
            for number in range(1 + then):
                await model.ask(Request(request.step, (*request.messages, ("user", f"part {number}")), request.schema))
        except ReplyError:
            return False
        return True

    async def ask_all(budget: Budget) -> list[bool]:
        store = open_call_store(opened)
        try:
            async with DirectModel(book(server, **settings), store, budget=budget) as model:
                return await gather_all(ask_one(model, request) for request in requests)
        finally:
            store.close()

    while len(commands.budgets) < MOST:
        before = len(server.requests)
        try:
            with open_budget(opened, ModelOptions(**limits)) as budget:
                commands.budgets.append(budget)
                commands.dropped = asyncio.run(ask_all(budget)).count(False)
        except BudgetReached as reached:
            commands.said.append(str(reached))
        else:
            return commands
        finally:
            commands.sent.append(len(server.requests) - before)
    raise AssertionError(commands)


def kept(folder: Path) -> int:
    store = open_call_store(create_folder(folder))
    try:
        return sum(line.calls for line in summary(store).lines)
    finally:
        store.close()


def test_each_command_sends_and_keeps_as_many_calls_as_it_may(tmp_path: Path) -> None:
    for in_flight in [1, 100]:
        for then in [0, 2]:
            (folder := tmp_path / f"{in_flight}-{then}").mkdir()
            with LoopbackServer(latency=0.01) as server:
                commands = give(
                    folder, server, numbered_requests(33), then, max_calls=10, settings={"in_flight": in_flight}
                )
            whole, rest = divmod(33 * (1 + then), 10)
            assert commands.sent == [10] * whole + [rest], (in_flight, then)
            assert commands.made == commands.sent, (in_flight, then)
            assert (
                commands.said
                == ["10 calls were made, the limit set by `max_calls`; run the same command again to continue"] * whole
            ), (in_flight, then)
            assert kept(folder) == 33 * (1 + then), (in_flight, then)


def test_what_is_refused_or_lost_is_no_call(tmp_path: Path) -> None:
    seen: list[str] = []
    with LoopbackServer(otherwise=lambda request: answer_of_number(request, seen)) as server:
        commands = give(tmp_path, server, numbered_requests(24), max_calls=5)
        assert commands.made == [5, 5, 5, 5, 4]
        assert len(server.requests) == 24 + 18
    assert "5 calls were made, the limit" in commands.said[0]


def answer_of_number(request: LoopbackRequest, seen: list[str]) -> LoopbackResponse:
    """Refuse or lose the first request of three of four, in three ways."""
    number = request.json["messages"][0]["content"]
    seen.append(number)
    kinds = {1: too_many_requests(retry_after=0.05), 2: error_response(503, "busy"), 3: connection_reset()}
    way = kinds.get(int(number.split()[-1]) % 4)
    return way if way and seen.count(number) == 1 else reply_with("ok")


def test_dollars_hold_for_replies_of_no_use_too_and_each_command_gets_on(tmp_path: Path) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        number = int(request.json["messages"][0]["content"].split()[-1])
        return reply_with("" if number % 3 == 0 else "ok", prompt=10, output=10)

    settings = {"price": PRICE, "max_tokens": 20, "in_flight": 50}
    with LoopbackServer(otherwise=answer, latency=0.01) as server:
        commands = give(tmp_path, server, numbered_requests(30), budget=1.2, settings=settings)
    assert commands.sent == commands.made
    assert all(made > 0 for made in commands.made)
    assert all(budget.spent <= 1.2 for budget in commands.budgets)
    assert sum(budget.spent for budget in commands.budgets) == pytest.approx(0.11 * len(server.requests))
    assert len(server.requests) == 20 + 10 * 2
    assert (
        f"{commands.made[0]} calls were made and ${commands.budgets[0].spent:.4f} of the $1.20 budget"
        in commands.said[0]
    )
