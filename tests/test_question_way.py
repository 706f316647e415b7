"""The bench of the way of a question finds the calls that go back up, whatever task or thread they are made in."""

import asyncio

import pytest
from benches import bench

from kbe_graph.execute.executor import Executor, Stage
from kbe_graph.models import loop

question_way = bench("question_way")
Stay, Way = question_way.Stay, question_way.Way


@pytest.mark.parametrize(
    ("files", "climbs"),
    [
        (["cli/evolve.py", "kbe_graph/workspace/run.py", "kbe_graph/store/store.py"], 0),
        (["kbe_graph/evolve/hop.py", "kbe_graph/store/store.py", "kbe_graph/evolve/driver.py"], 1),
        (["kbe_graph/evolve/hop.py", "kbe_graph/evolve/driver.py", "kbe_graph/evolve/hop.py"], 1),
        (["kbe_graph/evolve/hop.py", "kbe_graph/evolve/driver.py", "kbe_graph/evolve/plan.py"], 0),
    ],
)
def test_a_climb_is_a_call_of_a_higher_floor_or_back_into_a_file(files: list[str], climbs: int) -> None:
    way = Way(tuple(Stay(file, "f") for file in files))
    assert len(way.climbs) == climbs


class Counting(Stage[int, int, int]):
    """Counts the items of a batch in another thread."""

    name, size = "counting", 2

    async def begin(self, batch: list[int]) -> int:
        return await asyncio.to_thread(self.count, batch)

    def count(self, batch: list[int]) -> int:
        return len([*map(self.item_id, batch)])


def test_the_caller_of_what_a_task_or_a_thread_does_is_the_one_that_began_it() -> None:
    async def take(_: int) -> None:
        """Take nothing."""

    executor = ("kbe_graph/execute/executor.py", "Stage.item_id")
    chains: dict[tuple[str, str], list[tuple[object, ...]]] = {executor: []}
    with question_way.calls_traced(chains):
        loop.run(Executor().map(Counting(), [1, 2, 3], take))
    assert [[stay.name for stay in way.stays] for way in chains[executor]] == [
        ["Executor.map", "ask_in_batches", "Executor.map", "Stage.item_id"]
    ] * 3
