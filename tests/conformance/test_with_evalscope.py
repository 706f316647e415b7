"""evalscope's own score of an export with options is ours, and its predictions come back."""

import json
from pathlib import Path

import pytest
from harnesses import ScriptedModel, harness, rounded, run
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.types import Form

BENCHMARKS = {"open": "general_vqa", "fill": "general_vqa", "choice": "general_vmcq", "true-false": "general_vmcq"}

MEASURED = (
    {"name": "accuracy", "aggregation": "mean", "dimensions": {}},
    {"name": "rouge", "aggregation": "mean", "dimensions": {"variant": "l", "statistic": "recall"}},
)


@pytest.mark.parametrize(
    ("form", "skill"),
    [
        ("choice", "all"),
        ("choice", "half"),
        ("choice", "none"),
        ("true-false", "half"),
        ("open", "all"),
        ("open", "none"),
    ],
)
def test_it_scores_as_we_do(form: Form, skill: str, tmp_path: Path) -> None:
    python, benchmark = harness("evalscope"), BENCHMARKS[form]
    selection = small_selection(tmp_path / "pictures", form=form)
    EXPORTS.require("evalscope").write(tmp_path / "out", selection)
    model = ScriptedModel(selection, skill, letter="ANSWER: {}")
    scores = model.scores("alias")
    data = {benchmark: {"dataset_id": ".", "subset_list": [*scores]}}
    with model.serve() as server:
        asked = ["--model", "scripted", "--api-url", server.url, "--api-key", "none", "--eval-type", "openai_api"]
        tasks = ["--datasets", benchmark, "--dataset-args", json.dumps(data)]
        run(python, "-m", "evalscope.cli.cli", "eval", *asked, *tasks, cwd=tmp_path / "out")
    (file,) = (tmp_path / "out/outputs").rglob(f"reports/*/{benchmark}.json")
    metric = next(metric for metric in json.loads(file.read_bytes())["metrics"] if metric["identity"] in MEASURED)
    theirs = {subset["name"]: subset["score"] for part in metric["categories"] for subset in part["subsets"]}
    assert rounded(theirs, 4) == rounded(scores, 4)
    for predictions in (tmp_path / "out/outputs").rglob("predictions/*/*.jsonl"):
        model.require_back(predictions, model.chosen)
