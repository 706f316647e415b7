"""Linking: skills of models of two releases on one scale, by the questions in common."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import kbe
from numpy.typing import NDArray

from kbe_graph import Workspace
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.statistics.linking import link

Floats = NDArray[np.float64]
SKILLS = np.array([-0.8, -0.3, 0.0, 0.3, 0.6, 0.9, 0.2, 0.7, 1.0, 1.3, 1.7])
OLD, SIZE, ANCHORS = 6, 600, 100


def two_releases(seed: int, spread: float = 0.0) -> tuple[Floats, NDArray[np.bool_]]:
    """Answers of six old and five new models; the second release is harder, and keeps what old models got wrong."""
    draw = np.random.default_rng(seed)
    hard = np.concatenate([draw.normal(0, 1.2, SIZE), draw.normal(1, 1.2, SIZE - ANCHORS)])
    steep = np.exp(draw.normal(0, spread, len(hard)))
    answers = (draw.random((11, len(hard))) < 1 / (1 + np.exp(-steep * (SKILLS[:, None] - hard)))).astype(float)
    held = np.zeros((2, len(hard)), dtype=bool)
    held[0, :SIZE] = held[1, SIZE:] = True
    held[1, np.argsort(answers[:OLD, :SIZE].sum(axis=0) + draw.random(SIZE))[50 : 50 + ANCHORS]] = True
    answers[:OLD, ~held[0]] = answers[OLD:, ~held[1]] = np.nan
    return answers, held


def test_models_of_two_releases_stand_on_one_scale() -> None:
    inside = []
    for seed in range(4):
        linked = link(*two_releases(seed))
        assert (linked.model, linked.releases, linked.anchors_of[-1]) == ("rasch", [0] * 6 + [1] * 5, ANCHORS)
        for new, old in ((new, old) for new in range(OLD, 11) for old in range(OLD)):
            span = linked.difference(new, old)
            inside.append(span.low <= SKILLS[new] - SKILLS[old] <= span.high)
    assert np.mean(inside) > 0.85

    answers, held = two_releases(3, spread=0.8)
    assert link(np.vstack([answers, answers]), held).model == "2pl"


def test_skills_are_those_of_another_program() -> None:
    draw = np.random.default_rng(0)
    hard = draw.normal(0, 1.3, 600)
    answers = draw.random((600, 8)) < 1 / (1 + np.exp(hard[:, None] - np.linspace(-1, 1.5, 8)))
    girth = -1.259 * np.array([0.772, 0.421, 0.049, -0.028, -0.35, -0.523, -0.883, -1.041])  # 0.8, onepl_mml
    linked = link(answers.T, np.ones((1, 600)))
    assert np.abs([skill.value for skill in linked.skills] - girth).max() < 0.01


def test_an_anchor_that_leaked_is_dropped_and_a_release_without_anchors_is_refused() -> None:
    answers, held = two_releases(7)
    anchors = np.flatnonzero(held.all(axis=0))
    leaked = int(anchors[np.argmin(answers[:, anchors].sum(axis=0))])
    answers[:OLD, leaked], answers[OLD:, leaked] = 0.0, 1.0
    linked = link(np.vstack([answers, answers]), held)
    assert [anchor.question for anchor in linked.anchors if anchor.drifted] == [leaked]
    answers[OLD:, anchors] = np.nan
    with pytest.raises(InputError, match="release 'b' has no question in common"):
        link(answers, held, names=["a", "b"])


def test_stats_link_compares_models_that_were_asked_different_runs(demo_kept_up: Path, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    with Workspace(demo_kept_up, progress=False) as work:
        work.evolve(run="second", seed=1)
        for run, models in (("demo-0", "ab"), ("second", "cd")):
            ids = {question.id: question.answer for question in [*work.questions(hop=0), *work.run(run).questions()]}
            for model in models:
                rows = [{"id": id_, "answer": draw.choice([answer, "x"])} for id_, answer in ids.items()]
                (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
                work.answers.take(tmp_path / "p.jsonl", model=model, run=run)
        work.release.new("first", run="demo-0")
        work.release.add_erratum(work.questions(run="demo-0", hop=1)[0].id, why="wrong")
        with pytest.warns(KbeWarning, match=r"left out 1 of \d+ questions of first: changed since, or withdrawn"):
            work.stats.link("first", "second")
    table = json.loads(kbe("-w", demo_kept_up, "stats", "link", "demo-0", "second", "--json"))
    assert [row["release"] for row in table["skills"]] == ["demo-0", "demo-0", "second", "second"]
    assert all(row["equated_low"] < row["equated"] < row["equated_high"] for row in table["skills"])
    assert len(table["anchors"]) > 10
