"""Perturbed questions of a workspace: what its graph holds comes into the command's lines."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe_here

import kbe_graph as kbe
from kbe_graph.types import Prediction, Question, QuestionVariant

SEEDS = 3


def variants_of(question: Question, number: int) -> Iterator[QuestionVariant]:
    """Give the variants of a question: noise is refused for each fourth."""
    yield QuestionVariant(question.id, "re-encode", 0, text=question.text, image="0" * 64)
    for seed in range(SEEDS):
        kept = {"text": question.text, "image": "1" * 64} if number % 4 else {"status": "refused", "reason": "a sign"}
        yield QuestionVariant(question.id, "noise", seed, **kept)


def answer_to(variant: QuestionVariant, question: Question, number: int) -> Prediction:
    """Return the answer of a model that noise puts off each third question."""
    is_right = variant.operation == "re-encode" or number % 3 != 0
    text, verdict = (question.answer, "right") if is_right else ("no idea", "wrong")
    return Prediction(
        "subject", question.id, text, run=variant.run, variant=variant.operation, verdict=verdict, judge="alias"
    )


@pytest.fixture(scope="module")
def perturbed(demo_kept_up: Path) -> tuple[Path, int]:
    """The demo with perturbed raw questions that a model answered, and how many of them noise was kept for."""
    with kbe.Workspace(demo_kept_up, progress=False) as work:
        store, raw = work._access.store, list(work.questions(run="raw"))
        pairs = [
            (variant, question, number)
            for number, question in enumerate(raw)
            for variant in variants_of(question, number)
        ]
        store.save_variants([variant for variant, _, _ in pairs])
        asked = [answer_to(*pair) for pair in pairs if pair[0].status == "kept"]
        plain = [
            Prediction("subject", question.id, question.answer, verdict="right", judge="alias") for question in raw
        ]
        hops = [
            Prediction("subject", question.id, "no idea", verdict="wrong", judge="alias")
            for question in work.questions(run="demo-0")
        ]
        store.save_predictions([*asked, *plain, *hops])
    return demo_kept_up, len(raw)


def test_the_command_prints_the_changes(perturbed: tuple[Path, int], tmp_path: Path) -> None:
    workspace, count = perturbed
    with kbe.Workspace(workspace, progress=False) as work:
        (question, *_) = work.questions(run="raw")
    line = {"id": question.id, "answer": question.answer}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line) + "\n")
    arguments = ("-w", workspace, "evaluate", "--predictions", tmp_path / "answers.jsonl", "--model", "subject")
    said = kbe_here(*arguments, "--run", "demo-0")
    assert "surface or knowledge: the same questions before and after a change" in said
    rows = [line.split("\t") for line in said.splitlines() if "\talias\traw\t" in line]
    assert [row[4] for row in rows] == ["re-encode", "noise", "hop 1", "hop 2", "hop 3"]
    assert rows[0][3:8] == ["raw", "re-encode", str(count), "100.0", "100.0"]
    assert rows[0][8].startswith("+0.0 (")
    assert "nan" not in said
    mapping = json.loads(kbe_here(*arguments, "--run", "demo-0", "--json"))
    assert mapping["surface"]["changes"][0]["change"] == "re-encode"
