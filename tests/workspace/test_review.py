"""``work.review`` on the demo: what is decided, and what becomes of it in exports, later hops and other workspaces."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kbe_graph as kbe
from kbe_graph.errors import KbeWarning
from kbe_graph.review.review_desk import fact_of
from kbe_graph.review.state import made_question


@pytest.fixture
def reviewed(two_hops: Path, empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    """A copy of the demo with a run of two hops, for decisions of its own."""
    place = shutil.copytree(two_hops, tmp_path / "W")
    with kbe.Workspace(place, address=empty_graph, progress=False) as work:
        work.graph.restore(two_hops.with_name("graph.kbe"))
        yield work


def exported(work: kbe.Workspace, **options: object) -> dict[str, str]:
    """The texts of an export of the run's questions, by id; the raw ones are left out."""
    file = work.folder.path / "out.jsonl"
    work.export(file, run="demo", **options)
    lines = map(json.loads, file.read_text().splitlines())
    return {line["id"]: line["question"] for line in lines if line["run"] == "demo"}


def lines_of(work: kbe.Workspace) -> list[dict[str, Any]]:
    """The lines of the last export."""
    return [*map(json.loads, (work.folder.path / "out.jsonl").read_text().splitlines())]


def parents(work: kbe.Workspace) -> dict[str, str]:
    """The parents of the last export's questions, by id."""
    return {line["id"]: line["parent"] for line in lines_of(work)}


def test_a_rejected_question_leaves_exports_with_its_chain_and_a_revised_one_is_replaced(
    reviewed: kbe.Workspace,
) -> None:
    second = reviewed.questions(run="demo", hop=2)[0]
    first = next(each for each in reviewed.questions(run="demo", hop=1) if each.sample == second.sample)
    other = next(each for each in reviewed.questions(run="demo", hop=1) if each.sample != second.sample)
    everything = exported(reviewed)
    reviewed.review.decide(first.id, "reject", reviewer="Ana", reason="silly")
    text = f"{other.text[:-1]}, then?"
    made = made_question(
        reviewed.review.decide(other.id, "revise", reviewer="Ana", revision={"text": text}, insist=True)
    )
    with pytest.warns(KbeWarning, match="left out: 1 rejected in review, 1 an earlier question of the chain"):
        given = exported(reviewed)
    assert given.keys() == everything.keys() - {first.id, second.id, other.id} | {made}
    assert given[made] == text
    assert parents(reviewed)[made] == other.parent
    line = next(each for each in lines_of(reviewed) if each["id"] == made)
    (decision,) = line["reviews"]
    assert (line["revision_of"], decision["reviewer"], decision["verdict"]) == (other.id, "Ana", "revise")
    assert sum(reviewed.answers.evaluation(run="demo").left_out.values()) == 2
    folder = reviewed.folder.path / "out"
    reviewed.export(folder, format="vlmevalkit", run="demo", images_as="none")
    release = json.loads((folder / "release.json").read_text())
    assert (release["left_out"]["rejected in review"], release["reviewed"][made]["revision_of"]) == (1, other.id)
    later = [each for each in reviewed.questions(run="demo", hop=2) if each.parent == other.id]
    assert {parents(reviewed)[each.id] for each in later} <= {made}
    reviewed.review.decide(made, "approve", reviewer="Bo")
    with pytest.warns(KbeWarning, match="not approved in review"):
        assert exported(reviewed, reviewed="approved") == {made: text}
    assert {question.status for question in reviewed.questions(run="demo")} == {"kept"}
    reviewed.review.decide(first.id, "undo", reviewer="Ana")
    reviewed.review.decide(other.id, "undo", reviewer="Ana")
    assert exported(reviewed) == everything
    assert reviewed.status("demo")["reviews"]["demo"] == {"decisions": 5, "questions": 3, "reviewers": 2}


def test_a_wrong_fact_is_known_to_later_runs(reviewed: kbe.Workspace) -> None:
    question = reviewed.questions(run="demo", hop=1)[0]
    resting = reviewed.review.resting_on(question.id, question.key[-1].id)
    reviewed.review.decide(question.id, "reject", reviewer="Ana", wrong_facts=[question.key[-1].id])
    assert {review.question for review in reviewed.review.reviews()} == {*resting}
    fact = fact_of(question.key[-1])
    assert fact is not None
    assert "\t".join((*fact, "wrong", f"Ana on {question.id}")) in reviewed.folder.review.read_text()
    with pytest.warns(KbeWarning, match="left out"):
        assert set(exported(reviewed)).isdisjoint(resting)
    reviewed.evolve(hops=1, seed=0, run="later")
    keys = [triplet for each in reviewed.questions(run="later") for triplet in each.key]
    facts = {(triplet.subject.concept, triplet.relation, triplet.object.concept) for triplet in keys}
    assert facts
    assert fact not in facts
