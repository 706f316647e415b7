"""The face works where an event loop runs already, as in Jupyter: by rules, and asking a model."""

import asyncio
from pathlib import Path

from loopback_server import LoopbackServer
from model_cases import ANSWERS, answer_step, steps_asked

import kbe_graph as kbe


def test_a_run_by_rules_and_one_with_a_model_within_a_loop(
    empty_graph: kbe.Address, benchmark_file: Path, tmp_path: Path
) -> None:
    async def notebook() -> None:
        with LoopbackServer(otherwise=answer_step) as server, kbe.Workspace(tmp_path, address=empty_graph) as work:
            model = kbe.ModelOptions("loopback", base_url=server.url, mode="paper")
            assert work.load(benchmark_file, name="own", split="val").samples == len(ANSWERS)
            assert work.models.estimate(model, hops=2).calls > len(ANSWERS)
            assert server.requests == []
            assert work.extract(model=model).kept == len(ANSWERS)
            assert len(work.evolve(hops=2, run="model", model=model).questions(hop=2)) == len(ANSWERS)
            assert steps_asked(server.requests)["express"] == 2 * len(ANSWERS)
            assert work.evolve(hops=1, run="rules").questions(hop=1)
            assert {line.step: line.calls for line in work.models.costs().lines} == steps_asked(server.requests)
            assert [each.name for each in work.runs()] == ["model", "rules"]

    asyncio.run(notebook())
