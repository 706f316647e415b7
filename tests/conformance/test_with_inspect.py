"""Inspect's own score of an export is ours, and its log comes back."""

import json
from pathlib import Path

import pytest
from harnesses import SCORED, ScriptedModel, harness, rounded, run
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.types import Form


@pytest.mark.parametrize(
    ("form", "skill"),
    [*SCORED, ("fill", "all"), ("fill", "half"), ("true-false", "all"), ("true-false", "half")],
)
def test_it_scores_as_we_do(form: Form, skill: str, tmp_path: Path) -> None:
    python = harness("inspect")
    selection = small_selection(tmp_path / "pictures", form=form, several=skill == "half")
    EXPORTS.require("inspect").write(tmp_path / "out", selection)
    model = ScriptedModel(selection, skill, letter="ANSWER: {}")
    with model.serve() as server:
        command = ["eval", "kbe_task.py", "--model", "openai-api/local/scripted", "--log-format", "json"]
        environ = {"LOCAL_BASE_URL": server.url, "LOCAL_API_KEY": "none", "INSPECT_DISPLAY": "none"}
        run(python, "-m", "inspect_ai", *command, cwd=tmp_path / "out", **environ)
    (log,) = (tmp_path / "out/logs").glob("*.json")
    metrics = {
        name: metric["value"]
        for score in json.loads(log.read_bytes())["results"]["scores"]
        for name, metric in score["metrics"].items()
    }
    scores = model.scores("alias")
    assert rounded({group: metrics[group] for group in scores}) == rounded(scores)
    assert skill == "half" or set(scores.values()) == {1.0 if skill == "all" else 0.0}
    assert model.images == {item.id: len(item.sample.images) for item in model.items}
    model.require_back(log, model.chosen)
