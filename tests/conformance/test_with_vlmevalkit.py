"""VLMEvalKit's own score of an export is ours, and its workbook comes back."""

import json
from pathlib import Path

import pytest
from harnesses import ScriptedModel, harness, rounded, run
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.export.harness_formats import unsupported_reason
from kbe_graph.files.resources import sheet_cell
from kbe_graph.types import Form

ASK = Path(__file__).parent / "ask_vlmevalkit.py"


@pytest.mark.parametrize(
    ("form", "skill"), [("open", "all"), ("open", "half"), ("open", "none"), ("choice", "all"), ("choice", "half")]
)
def test_it_scores_as_we_do(form: Form, skill: str, tmp_path: Path) -> None:
    python = harness("vlmevalkit")
    selection = small_selection(tmp_path / "pictures", form=form)
    count = EXPORTS.require("vlmevalkit").write(tmp_path / "out", selection)
    model = ScriptedModel(selection, skill)
    model.items = [item for item in model.items if not unsupported_reason(item)]
    assert len(model.items) == count
    with model.serve() as server:
        said = run(python, ASK, tmp_path / "out", server.url, cwd=tmp_path)
    (row,) = json.loads(said.splitlines()[-1])
    scores = model.scores("vqa-vlmevalkit")
    share = 100 if form == "open" else 1
    assert rounded({group: row[group] / share for group in scores}) == rounded(scores)
    (file,) = (tmp_path / "out").glob("scripted_*MC.xlsx" if form == "choice" else "scripted_*openended.xlsx")
    model.require_back(file, lambda item: sheet_cell(model.chosen(item)) if item.form.options else model.reply(item))
