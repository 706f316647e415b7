"""The funnel: what comes into a stage is what the stage before kept, and all shares are of the samples loaded."""

import csv
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

from commands import kbe_here
from explorers import explored

import kbe_graph as kbe
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


def test_status_report_and_explorer_tell_the_same_numbers(demo_looked_at: Path, tmp_path: Path) -> None:
    with kbe.Workspace(demo_looked_at, progress=False) as work:
        counts = work.status()
        reselected = sum(question.kind == "reselected" for question in work.questions(run="demo-0"))
    stages = [*sample_stages(counts), *run_stages(counts, "demo-0")]
    assert_sound(stages)
    assert [stage.name for stage in stages] == ["loaded", "with a graph", "with a root", "hop 1", "hop 2", "hop 3"]
    told = [(stage.name, stage.kept, stage.of, round(100 * stage.share)) for stage in stages]

    screen = kbe_here("-w", demo_looked_at, "status")
    rows = re.findall(r"^  (with a \w+|hop \d) +(\d+) +(\d+) % +(?:of (\d+))?", screen, re.MULTILINE)
    assert [(name, int(kept), int(share)) for name, kept, share, _ in rows] == [
        (name, kept, share) for name, kept, _, share in told[1:]
    ]
    assert [int(of) for *_, of in rows[1:]] == [of for _, _, of, _ in told[2:]]

    kbe_here(
        "-w",
        demo_looked_at,
        "report",
        tmp_path / "r.html",
        "--pictures",
        "off",
        "--guess",
        "off",
        "--csv",
        tmp_path / "csv",
    )
    table = list(csv.reader((tmp_path / "csv" / "funnel.csv").read_text().splitlines()))[1:]
    assert [(name, int(kept), int(of), int(share)) for name, kept, of, share, _ in table[: len(told)]] == told

    with explored(demo_looked_at) as explorer:
        _, page = explorer.ask("/")
        _, run_page = explorer.ask("/run?name=demo-0")
    cells = re.findall(r'<th scope="row">([^<]*)</th><td class="number">(\d+)</td><td class="number">(\d+)</td>', page)
    shares = re.findall(r"</progress> (\d+) %", page)
    shown = [(unescape(name), int(kept), int(of)) for name, kept, of in cells][: len(told)]
    assert [(*row, int(share)) for row, share in zip(shown, shares, strict=False)] == told
    cells = list(csv.DictReader((tmp_path / "csv" / "statistics.csv").read_text().splitlines()))
    assert {float(cell["questions"]) for cell in cells if cell["kind"] == "reselected"} == {reselected}
    assert re.findall(r">re-selected: (\d+)</a>", run_page) == [str(reselected)]
