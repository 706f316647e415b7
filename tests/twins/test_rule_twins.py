"""Twins by rules: which are made, where they count, and what becomes of whoever does not look."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from twin_cases import load_twin_cases

import kbe_graph as kbe
from kbe_graph.export.selection import select
from kbe_graph.figures.outcomes import answers_frame, with_rows
from kbe_graph.figures.pairs import group_rows
from kbe_graph.store import Evolved
from kbe_graph.types import Prediction


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kbe.Workspace]:
    folder = tmp_path_factory.mktemp("twins")
    with kbe.Workspace(folder / "W", progress=False) as work:
        load_twin_cases(work, folder)
        made = work.twins(run="r")
        assert (made.made, made.refused) == ({"identify": 2}, {"not told": 1, "no candidate": 1})
        yield work


def by_parent(work: kbe.Workspace) -> dict[str, kbe.Question]:
    return {each.parent: each for each in work.questions(run="r") if each.kind == "twin"}


def test_a_twin_asks_the_same_words_of_another_picture_with_another_answer(work: kbe.Workspace) -> None:
    questions = {each.id: each for each in work.questions(run="r")}
    twins = by_parent(work)
    assert [(questions[id_].answer, twin.answer) for id_, twin in sorted(twins.items())] == [
        ("horse", "elephant"),
        ("umbrella", "kite"),
    ]
    for id_, twin in twins.items():
        question = questions[id_]
        same = ("text", "hop", "run", "shape", "difficulty")
        assert [getattr(twin, name) for name in same] == [getattr(question, name) for name in same]
        assert twin.sample == "okvqa/val/3"
        assert work.graph.query("answers", id=twin.id).iloc[0]["answers"] == [f"{twin.sample}|{twin.answer}"]
    assert work.graph.query("twins", id="okvqa/val/2@r/0").to_dict("list") == {
        "sample": ["okvqa/val/3"],
        "about": [2],
        "things": [2],
        "relations": [2],
    }
    for sample in ("okvqa/val/1", "okvqa/val/3"):
        assert "twin of okvqa/val/1@r/0, of okvqa/val/3" in str(work.sample(sample))
    again = work.twins(run="r")
    assert (again.had, again.made) == (2, {})


def test_a_twin_counts_in_no_hop(work: kbe.Workspace) -> None:
    assert {each.kind for each in work.questions(run="r", hop=0)} == {"reselected"}
    counts = work.run("r").status()["runs"]["r"]
    assert (counts["twins"], counts["questions"]["hop 0"]) == ({"kept": 2}, {"kept": 2})


def test_whoever_does_not_look_is_at_zero_by_pair(work: kbe.Workspace, tmp_path: Path) -> None:
    asked = work.questions(run="r")
    says = {
        "constant": dict.fromkeys((each.text for each in asked), "horse"),
        "blind": {each.text: each.answer for each in asked},  # the same words, the same answer
        "looks": {each.id: each.answer for each in asked},
    }
    for model, said in says.items():
        lines = [{"id": each.id, "answer": said.get(each.id) or said[each.text]} for each in asked]
        (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        work.answers.take(tmp_path / "said.jsonl", model=model, run="r")
    results = work.answers.evaluation(run="r").results()
    rows = {row["model"]: row for row in results.pairs if row["shape"] == "all"}
    figures = {model: (row["pairs"], row["single"], row["both"], row["same"]) for model, row in rows.items()}
    assert figures == {"constant": (2, 0.25, 0, 1), "blind": (2, 0.5, 0, 1), "looks": (2, 1, 1, 0)}
    assert (rows["constant"]["constant"], rows["constant"]["chance"], rows["blind"]["fall"]) == (0.25, 0, 0.5)
    assert {row["model"]: row["group"] for row in results.groups} == {"constant": 0, "blind": 0, "looks": 1}
    assert "twin" not in {row.row for row in results.accuracy}
    work.report(tmp_path / "report.html", run="r")
    assert "Questions with their twins" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_export_scores_as_naturalbench_does(work: kbe.Workspace, tmp_path: Path) -> None:
    work.export(tmp_path / "out", format="naturalbench", run="r")
    (row,) = pq.read_table(next((tmp_path / "out").glob("*.parquet"))).to_pylist()
    cells = [(question, image) for question in (0, 1) for image in (0, 1)]
    keys = {cell: row[f"Image_{cell[1]}_Question_{cell[0]}"] for cell in cells}
    assert list(keys.values()) == ["A", "B", "B", "A"]  # what its scorer takes for granted
    asked = {each.id: each for each in work.questions(run="r")}
    samples = {each.id: each for each in work.samples()}
    texts = [row[f"Question_{number}"].splitlines()[0] for number in (0, 1)]
    at = {
        (texts.index(each.text), int(samples[each.sample].image_id == "8")): id_
        for id_, each in asked.items()
        if each.text in texts
    }
    predictions, expected = [], {}
    for rights in product((False, True), repeat=4):
        model, right = str(rights), dict(zip(cells, rights, strict=True))
        predictions += [
            Prediction(model, at[cell], text="x", verdict="right" if right[cell] else "wrong", judge="exact")
            for cell in cells
        ]
        reply = {cell: keys[cell] if right[cell] else "BA"["AB".index(keys[cell])] for cell in cells}
        score = {cell: int(letter == "A") for cell, letter in reply.items()}
        by_question = (score[0, 0] > score[0, 1], score[1, 1] > score[1, 0])
        by_image = (score[0, 0] > score[1, 0], score[1, 1] > score[0, 1])
        expected[model] = (sum(by_question) / 2, sum(by_image) / 2, float(all(by_question) and all(by_image)))
    groups = group_rows(with_rows(answers_frame(predictions, asked, samples)))
    assert {row["model"]: (row["question"], row["image"], row["group"]) for row in groups} == expected


def test_a_reviewer_revises_one_twin_and_rejects_another_which_is_not_made_again(work: kbe.Workspace) -> None:
    first, second = (each.id for _, each in sorted(by_parent(work).items()))
    work.review.decide(first, "revise", reviewer="Ana", revision={"aliases": ["tusker"]}, insist=True)
    work.review.decide(second, "reject", reviewer="Ana", reason="it is a bird")
    again = work.twins(run="r")
    assert (again.had, again.made) == (1, {})
    twins = [each for each in select(work.store, run="r").questions if each.kind == "twin"]
    assert [each.aliases for each in twins] == [("tusker",)]


def test_the_twins_of_a_question_go_with_it(work: kbe.Workspace) -> None:
    (sample,) = [each for each in work.samples() if each.id == "okvqa/val/2"]
    question = work.questions(run="r", sample=sample.id)[0]
    work.store.save_questions([Evolved(replace(question, text="What is it?"))])
    assert list(by_parent(work)) == ["okvqa/val/1@r/0"]


@pytest.fixture
def alike(tmp_path: Path, empty_graph: kbe.Address) -> Iterator[kbe.Workspace]:
    """A run with the same words about three pictures, of which the third has the answer of the first."""
    captions = {0: ("a man riding a horse.",) * 2, 1: ("a man riding a camel.",) * 2, 2: ("a man riding a horse.",) * 2}
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        load_twin_cases(work, tmp_path, captions)
        yield work


def test_two_kept_questions_with_the_same_words_and_other_answers_are_made_a_pair(
    alike: kbe.Workspace, tmp_path: Path
) -> None:
    asked = {each.id: each for each in alike.questions(run="r")}
    made = alike.twins(run="r")
    pairs = {each.id: each.twin_of for each in alike.questions(run="r") if each.paired}
    assert (made.linked, made.had) == (2 * len(pairs), 0)
    assert pairs
    for twin, question in pairs.items():
        assert asked[twin].text == asked[question].text
        assert {asked[twin].answer, asked[question].answer} == {"horse", "camel"}
    edges = "MATCH (a:Question)-[:TWIN_OF]->(b:Question) WHERE a.kind <> 'twin' RETURN a.id AS twin, b.id AS question"
    assert {row["twin"]: row["question"] for row in alike.store.connection.read_text(edges)} == pairs
    again = alike.twins(run="r")
    assert (again.linked, again.had) == (0, made.linked + sum(made.made.values()))
    lines = [{"id": id_, "answer": each.answer} for id_, each in asked.items()]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    alike.answers.take(tmp_path / "said.jsonl", model="looks", run="r")
    row = next(row for row in alike.answers.evaluation(run="r").results().pairs if row["shape"] == "all")
    assert (row["pairs"], row["both"]) == (len(pairs), 1)  # the twin that rules made was not answered
    (twin, question), *_ = pairs.items()
    alike.store.save_questions([Evolved(asked[question])])
    assert twin in {each.id for each in alike.questions(run="r")}  # one that was made on its own stays


def test_graphs_of_a_version_without_kinds_have_twins_too(tmp_path: Path, empty_graph: kbe.Address) -> None:
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        load_twin_cases(work, tmp_path)
        forget = "MATCH (entity:Entity) REMOVE entity.kind"
        work.store.connection.write(lambda transaction: transaction.run_text(forget))
        assert work.twins(run="r").made == {"identify": 2}
