"""The funnel: what comes into a stage is what the stage before kept, and all shares are of the samples loaded."""

from itertools import pairwise
from typing import Any

from kbe_graph.show.status import FunnelStage, run_stages, sample_stages

SAMPLES = {"loaded": 20, "extracted": 50, "dropped": 30, "dropped by reason": {"no visual triplet": 30}}


def counts_of(questions: dict[str, Any], **run: Any) -> dict[str, Any]:
    parts = {"Pos_T1": 40, "Pos_F": 10, "Pos_T2": 4, "Pos_T": 44}
    return {"samples": SAMPLES, "runs": {"r": {"state": "complete", "parts": parts, "questions": questions} | run}}


def hop(kept: int, **reasons: int) -> dict[str, Any]:
    return {"kept": kept, "dropped": sum(reasons.values()), "dropped by reason": reasons}


def assert_sound(stages: list[FunnelStage]) -> None:
    for before, stage in pairwise(stages):
        assert stage.of == before.kept
        assert stage.kept + sum(stage.reasons.values()) == stage.of
        assert stage.loaded == stages[0].kept


ALL_HOPS = {"hop 0": hop(4, vague=6), "hop 1": hop(20, leak=24), "hop 2": hop(5, leak=15)}


FUNNELS: list[tuple[dict[str, Any], dict[str, Any], list[int], dict[str, int]]] = [
    (ALL_HOPS, {}, [44, 20, 5], {}),
    ({"hop 0": hop(1, vague=2), "hop 1": hop(8, leak=3)}, {}, [11, 8], {"not in this run": 37}),
    ({"hop 0": hop(4, vague=6), "hop 1": hop(9, leak=1)}, {"state": "running"}, [10, 9], {"not asked yet": 34}),
    ({"hop 0": hop(30, vague=20), "hop 1": hop(20, leak=24)}, {"chosen": {"reselect": "all"}}, [44, 20], {}),
    ({"hop 0": hop(4, vague=6)}, {}, [44], {}),
]


def test_a_funnel_adds_up() -> None:
    for questions, run, kept, silent in FUNNELS:
        counts = counts_of(questions, **run)
        stages = [*sample_stages(counts), *run_stages(counts, "r")]
        assert_sound(stages)
        assert [stage.kept for stage in stages] == [100, 50, *kept]
        assert silent.items() <= stages[2].reasons.items()
        assert stages[1].reasons == {"no visual triplet": 30, "waits for a graph": 20}
    counts = counts_of({"hop 0": hop(4, vague=6), "hop 1": hop(9, leak=35), "hop 2": hop(5, leak=3)})
    assert [*run_stages(counts, "r")][-1].reasons == {"leak": 3, "its shape has no further hop": 1}
