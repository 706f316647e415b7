"""``kbe evolve --filters`` and ``--sample``: which checks judge a run, and of which samples it is."""

import json
from collections import Counter
from pathlib import Path

from commands import kbe_here
from loopback_server import LoopbackServer
from model_cases import ANSWERS, answer_step, asking, go, steps_asked

import kbe_graph as kbe
from kbe_graph.store import Store


def refusals(workspace: Path, run: str) -> Counter[str]:
    """How many facts a run refused, by reason."""
    counts = json.loads(kbe_here("-w", workspace, "status", "--run", run, "--json"))
    return Counter(counts["runs"][run]["candidates"]["hop 1"]["dropped by reason"])


def test_a_run_by_the_paper_refuses_by_its_conditions_alone(demo_kept_up: Path) -> None:
    kbe_here("-w", demo_kept_up, "evolve", "--run", "paper", "--hops", "1", "--filters", "paper")
    counts = json.loads(kbe_here("-w", demo_kept_up, "status", "--json"))["runs"]
    assert counts["paper"]["chosen"] == {"checks": "paper"}
    assert "chosen checks: paper" in " ".join(kbe_here("-w", demo_kept_up, "status", "--run", "paper").split())
    ours = {"family", "person", "rare", "duplicate", "leak", "shortcut", "hop not needed", "answer-type"}
    assert ours & set(refusals(demo_kept_up, "demo-0"))
    assert not ours & set(refusals(demo_kept_up, "paper"))


def test_the_choice_belongs_to_a_run_as_its_other_settings_do(demo_kept_up: Path) -> None:
    evolve = ("-w", demo_kept_up, "evolve", "--run", "few", "--hops", "0", "--filters")
    kbe_here(*evolve, "cycle,noun")
    assert "nothing left to do" in kbe_here(*evolve, "noun,cycle")
    assert "run 'few' was made with different settings (checks)" in kbe_here(*evolve, "paper", code=1)
    assert "unknown name 'nuon'; did you mean 'noun'?" in kbe_here(*evolve, "nuon", code=1)
    manifest = json.loads((demo_kept_up / ".kbe" / "runs" / "few" / "run.json").read_text())
    assert manifest["settings"]["checks"] == "not a noun, cycle"


def test_a_run_of_drawn_samples_is_of_the_same_ones_whenever_it_is_run(demo_kept_up: Path) -> None:
    def samples(run: str) -> set[str]:
        with kbe.Workspace(demo_kept_up, progress=False) as work:
            return {question.sample for question in work.questions(run=run, status=None)}

    evolve = ("-w", demo_kept_up, "evolve", "--hops", "1", "--seed", "4", "--sample")
    kbe_here(*evolve, "12")
    kbe_here(*evolve, "12", "--run", "again")
    kbe_here(*evolve, "20", "--run", "more")
    drawn = samples("seed-4-sample-12")
    assert 0 < len(drawn) <= 12
    assert samples("again") == drawn < samples("more")
    assert "made with different settings (sample)" in kbe_here(*evolve, "13", "--run", "again", code=1)
    assert "limit 3 and sample 12 both set the number" in kbe_here(*evolve, "12", "--limit", "3", code=1)
    assert "chosen sample: 12" in " ".join(kbe_here("-w", demo_kept_up, "status", "--run", "again").split())


def test_a_model_is_not_asked_what_was_not_chosen(embedded_store: Store, tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, asking("paper"), hops=1, filters="noun")
        assert steps_asked(server.requests)["knowledge"] == len(ANSWERS)
        assert steps_asked(server.requests)["representative"] == 0
        go(embedded_store, tmp_path, server.url, asking("paper"), run="paper", hops=1, filters="paper")
        assert steps_asked(server.requests)["representative"] == len(ANSWERS)
    assert len(embedded_store.questions(run="paper")) == len(ANSWERS)
