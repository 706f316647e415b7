"""Runs, benchmarks and samples are taken out again, with all that rests on them."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from small_benchmark import load_small_benchmark

import kbe_graph as kbe
from kbe_graph.errors import KbeWarning
from kbe_graph.types import RunRecord


@pytest.fixture
def work(empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    with kbe.Workspace(tmp_path / "w", address=empty_graph, progress=False) as work:
        load_small_benchmark(work, tmp_path)
        yield work


def test_a_run_a_sample_and_a_benchmark_are_forgotten(work: kbe.Workspace, tmp_path: Path) -> None:
    work.graph.backup(tmp_path / "before")
    run = work.evolve(hops=1, run="r")
    questions = len(run.questions(status=None))
    assert work.forget(run="r") == (0, questions, ("r",))
    assert not list(work.folder.runs.iterdir())
    work.graph.backup(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    with pytest.raises(kbe.InputError, match="no run 'r'"):
        work.forget(run="r")

    work.evolve(hops=1, run="r")
    with pytest.raises(kbe.InputError, match=r"'r' rest on these 1 samples .*`evolved`"):
        work.forget(samples=["okvqa/val/1"])
    assert work.forget(samples=["okvqa/val/1"], evolved=True).runs == ()
    assert [sample.id for sample in work.samples()] == ["okvqa/val/2", "okvqa/val/3"]
    with pytest.raises(kbe.InputError, match=r"no samples of 'okvqa', split 'dev'; there are 2 samples"):
        work.forget(benchmark="okvqa", split="dev")
    with pytest.raises(kbe.InputError, match="no sample 'okvqa/val/1'"):
        work.forget(samples=["okvqa/val/1"])
    assert work.forget(benchmark="okvqa", evolved=True).runs == ("r",)
    assert work.graph.cypher("MATCH (n) WHERE NOT n:Schema RETURN n").empty


def test_a_run_that_did_not_end_is_left_out(work: kbe.Workspace, tmp_path: Path) -> None:
    first = work.evolve(hops=1, run="first")
    work.export(tmp_path / "one.jsonl")
    work.store.save_run(RunRecord("cut", 0, (), "running"))
    assert [run.name for run in work.runs()] == ["first"]
    assert [run.state for run in work.runs(incomplete=True)] == ["running", "complete"]
    assert work.status()["runs"]["cut"]["state"] == "running"
    with pytest.warns(KbeWarning, match=r"left out .*cut \(running\)"):
        work.export(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    for verb in (partial(work.export, tmp_path / "no"), partial(work.report, tmp_path / "no"), work.audit):
        with pytest.raises(kbe.InputError, match=r"run 'cut' is not finished \(running\); .*`incomplete`"):
            verb(run="cut")
    assert work.export(tmp_path / "cut.jsonl", run="cut", incomplete=True) > 0
    work.forget(run="cut")
    work.evolve(hops=0, run="a second")
    with pytest.warns(KbeWarning, match=r"using the newest of several runs, .*; the others are .*"):
        assert len(work.stats.table()) > 0
    assert len(first.statistics()) > 0


def test_an_empty_workspace_has_nothing_to_estimate_extract_or_report(empty_graph: kbe.Address, tmp_path: Path) -> None:
    model = kbe.ModelOptions("m", base_url="http://127.0.0.1:9/v1", language="klingonisch")
    with kbe.Workspace(tmp_path / "w", address=empty_graph, progress=False) as work:
        for verb in (work.models.estimate, partial(work.extract, model=model), partial(work.report, tmp_path / "no")):
            with pytest.raises(kbe.InputError, match=r"there are no samples yet; load a benchmark"):
                verb()
        with pytest.raises(kbe.InputError, match="no question to export; load a benchmark"):
            work.export(tmp_path / "no", format="inspect")
        load_small_benchmark(work, tmp_path)
        with pytest.raises(kbe.InputError, match="no known language 'klingonisch'"):
            work.extract(model=model, replace=True)


def test_a_run_that_fails_is_marked(work: kbe.Workspace) -> None:
    with pytest.raises(kbe.KbeError):
        work.evolve(hops=1, run="w", knowledge="wikidata", offline=True)
    assert [(run.name, run.state) for run in work.runs(incomplete=True)] == [("w", "failed")]
    manifest = json.loads((work.folder.runs / "w" / "run.json").read_text())
    assert manifest["ended"] is None
