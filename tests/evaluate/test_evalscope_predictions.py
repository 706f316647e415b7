"""Predictions of evalscope are numbered: the export that they lie in says which question has which number."""

import json
from pathlib import Path

from small_release import small_selection

from kbe_graph.export.formats import EXPORTS
from kbe_graph.scoring.prediction_files import read_predictions
from kbe_graph.types import Form


def write_export(folder: Path, form: Form) -> Path:
    """Write an export and return where evalscope leaves its predictions within it."""
    EXPORTS.require("evalscope").write(folder / "out", small_selection(folder / "pictures", form=form))
    place = folder / "out/outputs/20261123_120000/predictions/llava"
    place.mkdir(parents=True)
    return place


def answered(line: dict[str, object], index: int, reply: str | None) -> dict[str, object]:
    """Return what evalscope writes of a question that it asked; a reply of None is an asking that failed."""
    asked = line["question"] if "question" in line else line["messages"][0]["content"][-1]["text"]  # type: ignore[index]
    text = f"Answer this.\n{asked}".replace("<image 1> ", "")
    choices = [] if reply is None else [{"message": {"role": "assistant", "content": reply}}]
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    return {"index": index, "model": "llava", "model_output": {"choices": choices}, "messages": messages}


def write_predictions(file: Path, lines_of: Path, *replies: str | None) -> list[str]:
    """Write replies to the first lines of an export, the last line first, and return the ids of these."""
    lines = [json.loads(line) for line in lines_of.read_text().splitlines()]
    rows = [answered(line, index, reply) for index, (line, reply) in enumerate(zip(lines, replies, strict=False))]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]))
    return [line["id"] for line in lines]


def test_answers_in_own_words_go_back_to_their_questions(tmp_path: Path) -> None:
    place = write_export(tmp_path, "open")
    file = place / "general_vqa_hop1.jsonl"
    ids = write_predictions(file, tmp_path / "out/hop1_test.jsonl", "a giraffe", None, "x")
    predictions = read_predictions(file)
    assert predictions.format == "evalscope"
    assert [(each.question, each.text, each.model) for each in predictions.predictions] == [
        (ids[2], "x", "llava"),
        (ids[0], "a giraffe", "llava"),
    ]
    assert predictions.failed == (ids[1],)


def test_a_letter_is_the_option_that_the_question_has_under_it(tmp_path: Path) -> None:
    place = write_export(tmp_path, "choice")
    file = place / "general_vmcq_hop0.jsonl"
    ids = write_predictions(file, tmp_path / "out/hop0_val.jsonl", "It has a long neck.\nANSWER: A", "a boat")
    second, first = read_predictions(file).predictions
    assert (first.question, first.text, first.variant) == (ids[0], "giraffe", "choice")
    assert (second.question, second.text, second.reply) == (ids[1], "", "a boat")
