"""The bench of the way of a question finds the calls that go back up, whatever task or thread they are made in."""

import asyncio
from collections.abc import Sequence

import pytest
from benches import bench

from kbe_graph.models import loop
from kbe_graph.models.loop import ask_in_batches, batches
from kbe_graph.workers import worth_starting

question_way = bench("question_way")
Stay, Way = question_way.Stay, question_way.Way


@pytest.mark.parametrize(
    ("files", "climbs"),
    [
        (["cli/evolve.py", "kbe_graph/workspace/run.py", "kbe_graph/store/questions.py"], 0),
        (["kbe_graph/evolve/hop.py", "kbe_graph/store/questions.py", "kbe_graph/evolve/course.py"], 1),
        (["kbe_graph/evolve/hop.py", "kbe_graph/evolve/course.py", "kbe_graph/evolve/hop.py"], 1),
        (["kbe_graph/evolve/hop.py", "kbe_graph/evolve/course.py", "kbe_graph/evolve/plan.py"], 0),
    ],
)
def test_a_climb_is_a_call_of_a_higher_floor_or_back_into_a_file(files: list[str], climbs: int) -> None:
    way = Way(tuple(Stay(file, "f") for file in files))
    assert len(way.climbs) == climbs


def test_the_caller_of_what_a_task_or_a_thread_does_is_the_one_that_began_it() -> None:
    async def take(_: int) -> None:
        """Take nothing."""

    async def count(batch: Sequence[int]) -> int:
        return await asyncio.to_thread(lambda: worth_starting(1, len(batch)))

    executor = ("kbe_graph/workers.py", "worth_starting")
    chains: dict[tuple[str, str], list[tuple[object, ...]]] = {executor: []}
    with question_way.calls_traced(chains):
        parts = batches([1, 2, 3], 2)
        loop.run(ask_in_batches(parts, count, take, total=3, stage="", progress=lambda *_: None))
    assert [[stay.name for stay in way.stays] for way in chains[executor]] == [["worth_starting"]] * 2
