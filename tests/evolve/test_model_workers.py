"""Workers make of a model's replies what one process makes of them, and one process asks for them all."""

import asyncio
import contextlib
import json
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engines import emptied
from model_cases import SETTINGS, answer_step, samples, step_of, steps_asked, write_benchmark

from kbe_graph import Address, ModelOptions, Workspace
from kbe_graph.errors import BudgetReached, ModelError, ReplyError
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.mix import Mix
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.with_model import ModelRun, model_plan
from kbe_graph.execute.model_proxy import ProxyModel, SharedModel, SocketChannel, serving_model, socket_place
from kbe_graph.folder import create_folder, open_folder
from kbe_graph.models import Budget, CallStore, DirectModel, ModelBook, Reply, Request
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import open_session
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

BATCH = 5
PLACES = ("door", "wall", "window", "table", "fence", "chair", "tree", "box", "car")
Answer = Callable[[LoopbackRequest], LoopbackResponse]


def benchmark(folder: Path) -> Path:
    """Write the samples as a benchmark file, each with several questions, and return it."""
    rows = [
        {"question_id": f"{sample.answer}/{place}", "image": sample.image, "answer": sample.answer}
        | {"question": f"What is this beside the {place}?"}
        for sample in samples(folder)
        for place in PLACES
    ]
    file = folder / "own.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def evolve(
    folder: Path, address: Address, answer: Answer, workers: int, mix: Mix, *, budget: Budget | None = None
) -> tuple[list[str], Counter[str], Counter[tuple[str, str]]]:
    """Evolve copies of the samples in a workspace of their own, whose graph is empty where the folder is new.

    Return the questions, the steps that were asked, and the kinds of the failures by step.
    """
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    with LoopbackServer(otherwise=answer) as server, Workspace(folder, address=address) as work:
        if is_new:
            emptied(work.store)
        asked = ModelOptions("loopback", base_url=server.url, images=folder, mode=mix.mode)
        if not work.samples():
            work.load(benchmark(folder), name="own", split="val")
        work.extract(model=asked)

        async def run() -> None:
            """Make the run as a command does, whatever the number of samples."""
            opened = open_folder(folder)
            flags = {"base_url": server.url, "model": "loopback"}
            with open_session(opened, flags=flags, images=[folder]) as session:
                async with DirectModel(session.book, session.calls, budget=budget) as model:
                    plan = replace(model_plan(RunOptions("r", hops=2), mix, SETTINGS), batch=BATCH)
                    knowledge = packaged_knowledge(opened)
                    run = ModelRun(opened, work.store, plan, mix, SETTINGS, knowledge, workers=workers)
                    await run.evolve(session.asker(model))

        asyncio.run(run())
        questions = [repr(question) for question in work.store.questions(run="r", status=None)]
        failures = Counter((each.step, each.kind) for each in work.models.failed_calls(1000))
        return questions, steps_asked(server.requests), failures


MIXES = (Mix("paper"), Mix("merged", verify=True))  # Mix("merged") is compared below


@pytest.mark.parametrize("mix", MIXES, ids=lambda mix: f"{mix.mode} {mix.verify}")
def test_two_workers_find_and_ask_what_one_process_does(empty_graph: Address, tmp_path: Path, mix: Mix) -> None:
    alone, together = (evolve(tmp_path / str(workers), empty_graph, answer_step, workers, mix) for workers in (1, 2))
    assert alone == together
    assert any("'FOAL'" in question for question in alone[0])
    assert any("hop=2" in question for question in alone[0])


def test_replies_that_cannot_be_read_are_kept_apart_and_asked_for_again(empty_graph: Address, tmp_path: Path) -> None:
    def answer(request: LoopbackRequest, seen: Counter[str]) -> LoopbackResponse:
        text = request.text
        seen[text] += step_of(request) == "hop"
        return reply_with("{}") if seen[text] == 1 else answer_step(request)

    outcomes = []
    for workers in (1, 2):
        seen: Counter[str] = Counter()
        once = partial(answer, seen=seen)
        outcomes.append(evolve(tmp_path / str(workers), empty_graph, once, workers, Mix()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][2]["hop", "invalid"] > 0


def test_a_model_that_is_never_understood_is_stopped_by_what_its_first_calls_were(
    empty_graph: Address, tmp_path: Path
) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return reply_with(json.dumps({"n": request.text})) if step_of(request) == "hop" else answer_step(request)

    with pytest.raises(ModelError, match=r"the first 20 calls of step 'hop' all failed"):
        evolve(tmp_path, empty_graph, answer, 2, Mix())


def test_a_budget_holds_over_all_workers_and_the_same_call_goes_on(empty_graph: Address, tmp_path: Path) -> None:
    with pytest.raises(BudgetReached):
        evolve(tmp_path, empty_graph, answer_step, 2, Mix(), budget=Budget(calls=7))
    _, steps, _ = evolve(tmp_path, empty_graph, answer_step, 2, Mix())
    alone, every, _ = evolve(tmp_path / "whole", empty_graph, answer_step, 1, Mix())
    assert steps["hop"] == every["hop"] - 7
    assert [question for question in alone if "hop=2" in question]


def refuse_empty(reply: Reply) -> None:
    """Refuse a reply as a worker does that cannot read it."""
    if reply.text == "{}":
        raise ReplyError("nothing in it", reply=reply.text)


def test_with_workers_each_command_makes_as_many_calls_as_it_may_until_all_is_done(tmp_path: Path) -> None:
    """Also where every third call never has a reply of use."""
    requests = [Request("hop", (("user", f"number {number}"),)) for number in range(20)]

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return reply_with("{}" if int(request.text.split()[-1]) % 3 == 0 else "ok")

    async def ask(model: ProxyModel, request: Request) -> bool:
        with contextlib.suppress(ReplyError):
            await model.ask(request, refuse_empty)
            return True
        return False

    async def command(server: LoopbackServer, budget: Budget) -> list[bool]:
        book = ModelBook({"base_url": server.url, "model": "m"}, environ={})
        with contextlib.closing(CallStore(tmp_path / "calls.sqlite")) as store, socket_place() as place:
            async with DirectModel(book, store, budget=budget) as model, serving_model(SharedModel(model), place):
                workers = [ProxyModel(SocketChannel(place)) for _ in range(2)]
                return await gather_all(ask(workers[n % 2], request) for n, request in enumerate(requests))

    budgets: list[Budget] = []
    outcomes: list[bool] = []
    with LoopbackServer(otherwise=answer, latency=0.01) as server:
        while not outcomes and len(budgets) < 20:
            budgets.append(Budget(calls=4))
            with contextlib.suppress(BudgetReached):
                outcomes = asyncio.run(command(server, budgets[-1]))
        asked = len(server.requests)
    assert (outcomes.count(True), outcomes.count(False)) == (13, 7)
    assert [budget.calls_made for budget in budgets] == [4] * 6 + [3]
    assert sum(budget.requests for budget in budgets) == asked == 13 + 7 * 2


def test_whoever_waits_for_a_model_that_is_gone_is_told() -> None:
    class Slow(SharedModel):
        async def ask(self, request: Request) -> Any:
            del request
            begun.set()
            await asyncio.sleep(60)

    begun = asyncio.Event()

    async def ask() -> None:
        with socket_place() as place:
            asker = ProxyModel(SocketChannel(place))
            async with serving_model(Slow(None), place):  # type: ignore[arg-type]  # it asks no model
                task = asyncio.create_task(asker.ask(Request("hop", (("user", "What?"),))))
                await begun.wait()
            with pytest.raises(ModelError, match="the process that calls the model has ended"):
                await task
            with pytest.raises(ModelError, match="the process that calls the model has ended"):
                await ProxyModel(SocketChannel(place)).ask(Request("hop", ()))

    asyncio.run(ask())


def test_what_goes_wrong_beside_the_calls_is_raised_where_it_was_asked() -> None:
    class Broken(SharedModel):
        async def ask(self, request: Request) -> Any:
            raise ZeroDivisionError(request.step)

    async def ask() -> None:
        with socket_place() as place:
            async with serving_model(Broken(None), place):  # type: ignore[arg-type]
                with pytest.raises(ZeroDivisionError, match="hop"):
                    await ProxyModel(SocketChannel(place)).ask(Request("hop", ()))

    asyncio.run(ask())


def test_an_asker_travels_without_what_it_found(tmp_path: Path) -> None:
    write_benchmark(tmp_path)
    (tmp_path / "kbe.toml").write_text("[models]\nmax_tokens = 77\n[models.hop]\nmax_tokens = 99\n")
    with open_session(create_folder(tmp_path), flags={}, images=[tmp_path]) as session, socket_place() as place:
        asker = session.asker(ProxyModel(SocketChannel(place)))
        again: Asker = pickle.loads(pickle.dumps(asker))  # noqa: S301
    assert (again.most_tokens("hop"), again.most_tokens("key")) == (99, 77)
