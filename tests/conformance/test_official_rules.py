"""The official rules of VQA and A-OKVQA, on the exported files, give the scores that ours give."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
from harnesses import ScriptedModel, rounded
from official_vqa import question_accuracy
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.types import Form


@pytest.mark.parametrize("skill", ["all", "half", "none"])
def test_vqa_accuracy_by_hop(skill: str, tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures")
    EXPORTS.require("okvqa").write(tmp_path / "out", selection)
    model = ScriptedModel(selection, skill)
    results = [{"question_id": item.number, "answer": model.reply(item)} for item in model.items]
    (tmp_path / "results.json").write_text(json.dumps(results))
    annotations = json.loads((tmp_path / "out/mscoco_val2014_annotations.json").read_bytes())["annotations"]
    said = {result["question_id"]: result["answer"] for result in results}
    scores = defaultdict(list)
    for line in annotations:
        scores[line["question_type"]].append(question_accuracy(said[line["question_id"]], line["answers"]))
    official = {group: sum(values) / len(values) for group, values in scores.items()}
    assert rounded(official) == rounded(model.scores("vqa"))
    model.require_back(tmp_path / "results.json")


@pytest.mark.parametrize(
    ("form", "skill"), [("open", "half"), ("choice", "all"), ("choice", "half"), ("choice", "none")]
)
def test_both_scores_of_aokvqa(form: Form, skill: str, tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures", form=form)
    EXPORTS.require("aokvqa").write(tmp_path / "out", selection)
    model = ScriptedModel(selection, skill)
    lines = {line["question_id"]: line for line in json.loads((tmp_path / "out/aokvqa_v1p0_val.json").read_bytes())}
    scores = defaultdict(list)
    predictions = {}
    for item in model.items:
        line, reply = lines[item.id], model.reply(item)
        if item.form.options:
            reply = item.form.options[ord(reply) - ord("A")]
            scores[item.group].append(reply == line["choices"][line["correct_choice_idx"]])
            predictions[item.id] = {"multiple_choice": reply}
        else:
            scores[item.group].append(min(1, line["direct_answers"].count(reply) / 3))
            predictions[item.id] = {"direct_answer": reply}
    official = {group: sum(values) / len(values) for group, values in scores.items()}
    assert rounded(official) == rounded(model.scores("aokvqa-da"))
    (tmp_path / "predictions.json").write_text(json.dumps(predictions))
    model.require_back(tmp_path / "predictions.json", lambda item: next(iter(predictions[item.id].values())))
