"""``kbe review report``: in words, as JSON and as CSV."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe_here
from small_benchmark import load_small_benchmark

import kbe_graph as kbe
from kbe_graph.errors import ConfigError, KbeWarning


@pytest.fixture
def work(empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    with kbe.Workspace(tmp_path / "w", address=empty_graph, progress=False) as work:
        load_small_benchmark(work, tmp_path)
        work.evolve(hops=1, run="r")
        yield work


def test_what_is_learnt_is_printed_and_written(work: kbe.Workspace, empty_graph: kbe.Address, tmp_path: Path) -> None:
    def report(*options: object) -> str:
        return kbe_here("-w", work.folder.path, "review", "report", *options, address=empty_graph)

    assert report().splitlines() == ["no questions reviewed yet"]
    questions = [question.id for question in work.questions(run="r")]
    for reviewer in ("Ann", "Bea"):
        for id_ in questions:
            work.review.decide(id_, "reject", reviewer=reviewer, reason="=silly", criteria={"worth": "no"}, seconds=9)
    lines = report("--csv", tmp_path / "tables").splitlines()
    number = len(questions)
    assert lines[0] == (
        f"{number} questions reviewed by 2 people: 0 approved, 0 revised, {number} rejected, 0 disputed"
    )
    assert f"all\tall\t{number}\t0\t0\t{number}\t0\t0" in lines
    assert any(line.startswith("9 seconds per decision") for line in lines)
    value = json.loads(report("--json", "--run", "r"))
    assert value["counts"]["rejected"] == number
    assert value["counts"]["reviewed_per_kept"] is None
    with (tmp_path / "tables" / "acceptance.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert (rows[0]["rejected"], rows[0]["share"], rows[0]["share low"]) == (str(number), "0.0", "")
    with pytest.raises(kbe.InputError, match="the limit is 2"):
        work.review.report(run="r", limit=2)


def test_the_line_that_the_report_ends_with_keeps_a_relation_out_of_later_runs(
    work: kbe.Workspace, empty_graph: kbe.Address
) -> None:
    def report(*options: object) -> str:
        command = "review", "report", "--run", "r", "--limit", 1, "--least", 1, *options
        return kbe_here("-w", work.folder.path, *command, address=empty_graph)

    def relations(run: str) -> set[str]:
        return {triplet.relation for question in work.questions(run=run) for triplet in question.explored}

    config = work.folder.config.file
    bad, *others = work.questions(run="r", hop=1)
    relation = bad.explored[0].relation
    work.review.decide(bad.id, "reject", reviewer="Ann")
    for other in others:
        work.review.decide(other.id, "approve" if relation != other.explored[0].relation else "reject", reviewer="Ann")
    lines = report().splitlines()[-2:]
    assert lines == ["[filters]", f'blocked_relations = ["{relation}"]']
    assert json.loads(report("--json"))["proposals"]["block_list"]["setting"] == "\n".join(lines)
    config.write_text(config.read_text() + "\n".join(lines))
    with kbe.Workspace(work.folder.path, address=empty_graph, progress=False) as later:
        with pytest.raises(ConfigError, match=r"'r' was made with different settings \(blocked relations\)"):
            later.evolve(hops=1, run="r")
        later.evolve(hops=1, run="s")
        refused = {each.reason for each in later.graph.candidates(run="s") if each.relation == relation}
    assert relation in relations("r") - relations("s")
    assert refused == {"blocked relation"}
    assert "Proposal: a block list" not in report()


def test_a_blocked_relation_that_no_packaged_fact_has_is_told(work: kbe.Workspace, empty_graph: kbe.Address) -> None:
    config = work.folder.config.file
    config.write_text('[filters]\nblocked_relations = ["habitt", "young"]\n')
    with (
        kbe.Workspace(work.folder.path, address=empty_graph, progress=False) as later,
        pytest.warns(KbeWarning, match="no packaged fact has the relation 'habitt'; did you mean 'habitat'") as told,
    ):
        later.evolve(hops=1, run="s")
    assert len(told) == 1


def test_the_most_doubtful_questions_of_a_run_come_first(work: kbe.Workspace) -> None:
    first, *_, last = (doubt.question for doubt in work.review.doubts(run="r"))
    work.review.decide(last, "approve", reviewer="Ann")
    work.review.decide(last, "reject", reviewer="Bea")
    doubts = work.review.doubts(run="r")
    assert doubts[0].question == last != first
    assert doubts[0].signs[0] == "reviewers differ"
    assert {doubt.question for doubt in doubts} == {question.id for question in work.questions(run="r")}
