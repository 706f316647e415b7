"""lmms-eval's own score of an export is ours, and its samples come back."""

import json
from pathlib import Path

import pytest
from harnesses import SCORED, ScriptedModel, harness, rounded, run
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.types import Form


@pytest.mark.parametrize(("form", "skill"), SCORED)
def test_it_scores_as_we_do(form: Form, skill: str, tmp_path: Path) -> None:
    python = harness("lmms-eval")
    selection = small_selection(tmp_path / "pictures", form=form)
    EXPORTS.require("lmms-eval").write(tmp_path / "release", selection)
    model = ScriptedModel(selection, skill)
    with model.serve() as server:
        asked = ["--model", "openai", "--model_args", f"model_version=scripted,base_url={server.url}"]
        tasks = ["--tasks", "kbe_seed_0", "--include_path", "release/lmms_tasks", "--batch_size", "1"]
        kept = ["--log_samples", "--output_path", "out"]
        run(python, "-m", "lmms_eval", *asked, *tasks, *kept, cwd=tmp_path, OPENAI_API_KEY="none")
    (file,) = (tmp_path / "out").rglob("*_results.json")
    results = json.loads(file.read_bytes())["results"]
    scores = model.scores("vqa-lmms")
    theirs = {group: results[f"kbe_seed_0_{group}"]["kbe_score,none"] for group in scores}
    assert rounded(theirs) == rounded(scores)
    for samples in (tmp_path / "out").rglob("*_samples_*.jsonl"):
        model.require_back(samples)
