"""Predictions of any harness are read; what is wrong with a file is told by file, line and field."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from kbe_graph import Workspace
from kbe_graph.errors import InputError
from kbe_graph.scoring.prediction_files import Predictions, read_predictions

A, B = "okvqa/val/1@raw/0", "okvqa/val/1@seed-0/1"
LOGGED = {
    "id": A,
    "epoch": 2,
    "target": "giraffe",
    "output": {"model": "m", "choices": [{"message": {"content": "a giraffe"}}], "completion": "a giraffe"},
    "attachments": {"h": "a tall giraffe"},
}


def lines(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read(folder: Path, name: str, content: str | bytes, **options: Any) -> Predictions:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_predictions(file, **{"model": "m", **options})


def answers(predictions: Predictions) -> dict[str, str]:
    return {prediction.question: prediction.text for prediction in predictions.predictions}


def write_workbook(file: Path, *rows: tuple[Any, ...]) -> Path:
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(file)
    return file


def write_log(file: Path, *samples: Mapping[str, Any], header: str = "header.json") -> Path:
    """Write an Inspect log as the archive that it is."""
    members = {header: {"version": 2, "eval": {"model": "openai/gpt-x"}}}
    members |= {f"samples/{number}_epoch_1.json": dict(sample) for number, sample in enumerate(samples)}
    with ZipFile(file, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return file


def test_our_own_lines_may_say_more_than_an_answer(tmp_path: Path) -> None:
    rows = (
        {"id": A, "answer": " a giraffe\n", "model": "llava", "run": 2, "variant": "blind", "tokens": 3},
        {"id": B, "answer": ""},
    )
    first, second = read(tmp_path, "p.jsonl", lines(*rows)).predictions
    assert (first.model, first.question, first.text) == ("m", A, "a giraffe")  # the name given counts
    assert (first.run, first.variant, first.tokens) == (2, "blind", 3)
    assert (second.model, second.text, second.run, second.variant, second.tokens) == ("m", "", 1, "image", None)


def test_a_format_is_recognised_by_its_content(tmp_path: Path) -> None:
    for name, content, form in [
        ("p.jsonl", lines({"id": "1", "answer": "dog"}, {"id": "2", "answer": "Éléphant 象"}), "table"),
        ("p.json", '[{"id": 1, "answer": "dog"}, {"id": 2, "answer": "Éléphant 象"}]', "table"),
        ("p.csv", "id,answer\n1,dog\n2,Éléphant 象\n", "table"),
        (
            "p.json",
            '\ufeff[{"question_id": 1, "answer": "dog"},\n{"question_id": 2, "answer": "Éléphant 象"}]',
            "table",
        ),
        ("p.json", '{"1": "dog",\n "2": "Éléphant 象"}', "aokvqa"),
        ("p.json", '{"1": {"direct_answer": "dog"}, "2": {"direct_answer": "Éléphant 象"}}', "aokvqa"),
        ("p.tsv", "index\tanswer\tprediction\n1\tcat\tdog\n2\tcat\tÉléphant 象\n", "table"),
        (
            "p.jsonl",
            lines(
                {"doc_id": 0, "doc": {"question_id": 1}, "target": "cat", "filtered_resps": ["dog"]},
                {"doc_id": 1, "submission": {"id": "2"}, "target": "cat", "filtered_resps": [["Éléphant 象"]]},
            ),
            "lmms-eval",
        ),
    ]:
        predictions = read(tmp_path, name, content)
        assert predictions.format == form, (name, content, form)
        assert answers(predictions) == {"1": "dog", "2": "Éléphant 象"}, (name, content, form)
        packed = read(tmp_path, f"{name}.gz", gzip.compress(content.encode()))
        assert packed == predictions, (name, content, form)
        assert read(tmp_path, name, content, format=form) == predictions, (name, content, form)


def test_a_table_in_parquet_and_a_dictionary_of_two_settings_are_read(tmp_path: Path) -> None:
    write_table(pa.table({"id": [A, B], "answer": ["dog", "cat"]}), tmp_path / "p.jsonl")
    predictions = read_predictions(tmp_path / "p.jsonl", model="m")
    assert (predictions.format, answers(predictions)) == ("table", {A: "dog", B: "cat"})
    content = '{"22jb": {"multiple_choice": "Bus", "direct_answer": "bus"}}'
    choice, direct = read(tmp_path, "p.json", content).predictions
    assert (choice.variant, choice.text) == ("options", "Bus")
    assert (direct.variant, direct.text) == ("image", "bus")


def test_a_workbook_of_vlmevalkit_is_read(tmp_path: Path) -> None:
    file = write_workbook(
        tmp_path / "m_KBE.xlsx",
        ("index", "id", "answer", "prediction"),
        (0, A, "cat", 7),
        (1, B, "cat", None),
        (2, "x", "cat", "Failed to obtain answer via API."),
    )
    predictions = read_predictions(file, model="m")
    assert predictions.format == "table"
    assert answers(predictions) == {A: "7", B: ""}
    assert predictions.failed == ("x",)


def test_a_letter_is_the_option_of_its_row(tmp_path: Path) -> None:
    head = "index\tA\tB\tanswer\tprediction\n"
    rows = "1\trocks\ttrees\tB\tB\n2\trocks\ttrees\tB\t(a)\n3\trocks\ttrees\tB\tA.\n4\trocks\ttrees\tB\tC\n"
    predictions = read(tmp_path, "p.tsv", head + rows)
    assert answers(predictions) == {"1": "trees", "2": "rocks", "3": "rocks", "4": ""}
    assert (predictions.predictions[3].reply, predictions.predictions[3].read_by) == ("C", "unread")
    assert {prediction.variant for prediction in predictions.predictions} == {"options"}


def test_a_reply_that_a_harness_cut_has_no_answer(tmp_path: Path) -> None:
    row = lines({"id": A, "answer": "It may be a", "finish_reason": "length"})
    stopped = lines({"id": A, "answer": "It may be a", "stop_reason": "max_tokens"})
    choices = [{"stop_reason": "max_tokens", "message": {"content": "It may be a"}}]
    log = {"eval": {"model": "m"}, "samples": [LOGGED | {"output": {"choices": choices, "completion": "It may be a"}}]}
    for name, content in (("p.jsonl", row), ("p.jsonl", stopped), ("x.json", json.dumps(log))):
        (cut,) = read(tmp_path, name, content).predictions
        assert (cut.text, cut.read_by, cut.reply) == ("", "cut", "It may be a"), name


def test_logs_of_other_harnesses_are_read_with_letters_as_options(tmp_path: Path, data: Path) -> None:
    logs = data / "cases" / "b27-harness-logs"
    work = Workspace(tmp_path / "W")
    work.load(logs / "bench.jsonl", name="b", images=logs)
    for name in (
        "kbe.jsonl", "llava.jsonl", "lmms-flat.jsonl", "lmms-repeats.jsonl", "lmms-resps.jsonl", "floatids.csv",
        "predname.csv", "respname.jsonl", "vlmeval.json", "vlmeval.jsonl", "vlmeval.tsv",
    ):  # fmt: skip
        work.answers.take(logs / name, model=name, form="open")
        given = work.answers.predictions(model=name)
        right = {
            each.question.split("/")[-2].split("@")[0]: each.verdicts[0].verdict for each in given if each.run == 1
        }
        assert right["101"] == right["102"] == "right", (name, right)
        assert right.get("103") in {"wrong" if name.startswith("vlmeval") else "right", None}, (name, right)


def test_letters_among_other_replies_are_options_unless_most_replies_are_words(tmp_path: Path) -> None:
    work = Workspace(tmp_path / "W")
    animals = ["cat", "dog", "cow"]
    work.load([{"id": n, "question": f"Which is {n}?", "options": animals, "answer": "B"} for n in range(6)], name="b")
    for model, replies, variant, right in [
        ("letters", ("B", "dog", "It is a dog.", "Perhaps a cow", "(b)", "A"), "options", 4),
        ("words", ("puppy", "B", "hound", "some pet", "brown fur", "a tail"), "image", 0),
    ]:
        (tmp_path / "p.jsonl").write_text(lines(*({"id": n, "answer": said} for n, said in enumerate(replies))))
        taken = work.answers.take(tmp_path / "p.jsonl", model=model)
        assert {each.variant for each in work.answers.predictions(model=model)} == {variant}, model
        assert taken.judgement.right == right, model


def test_signed_options_are_read_as_they_stand(tmp_path: Path, data: Path) -> None:
    case = data / "cases" / "b02-signed-options"
    work = Workspace(tmp_path / "W")
    work.load(case / "bench.jsonl", name="b")
    taken = work.answers.take(case / "preds.jsonl", model="m")
    given = work.answers.predictions(model="m")
    right = {each.question.split("@")[0][-2:] for each in given if each.verdicts[0].verdict == "right"}
    assert (right, taken.unread) == ({"s1", "s3", "s5", "s7"}, 0)


def test_an_archived_log_of_inspect_is_read(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "dog"}]
    attached = LOGGED["output"] | {"completion": "attachment://h", "usage": {"output_tokens": 4}}
    samples = (
        LOGGED,
        LOGGED | {"epoch": 1, "output": attached},
        LOGGED | {"id": 5, "output": {"choices": [{"message": {"content": parts}}]}},
        LOGGED | {"id": B, "error": {"message": "refused"}},
    )
    for header in ["header.json", "_journal/start.json"]:
        predictions = read_predictions(write_log(tmp_path / "x.eval", *samples, header=header))
        assert predictions.format == "inspect", header
        assert [(p.model, p.question, p.run, p.text, p.tokens) for p in predictions.predictions] == [
            ("openai/gpt-x", A, 2, "a giraffe", None),
            ("openai/gpt-x", A, 1, "a tall giraffe", 4),
            ("openai/gpt-x", "5", 2, "dog", None),
        ], header
        assert predictions.failed == (B,), header


OK = {"id": "1", "answer": "dog"}


def test_a_bad_file_is_told_by_place_and_field(tmp_path: Path) -> None:
    for name, content, message in [
        ("p.jsonl", "", "is empty"),
        ("p.jsonl", lines(OK) + '{"id": "2", "answer": "d', "line 2: not JSON"),
        ("p.jsonl", lines(OK, {"id": "2"}), "line 2: no 'answer' field; found 'id'"),
        ("p.jsonl", lines({"id": "1", "prediction": "dog"}, OK), "line 2: no 'prediction' field; found 'id', 'answer'"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": None}), "line 2: 'answer' is None; write an empty text"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": "x" * 100001}), "line 2: 'answer' has 100,001 characters"),
        ("p.jsonl", lines(OK, {"id": "2" * 1001, "answer": "x"}), "line 2: 'id' has 1,001 characters"),
        ("p.jsonl", lines(OK | {"run": 0}), "line 1: 'run' is 0; runs count from 1"),
        ("p.jsonl", lines(OK | {"aliases": []}), "'answer' is the gold answer, beside the question; give the model's"),
        ("p.jsonl", lines(OK | {"aliases": []}) + '{"id": "2", "answer": "d', "line 2: not JSON"),
        ("p.jsonl", lines(OK | {"model": "a"}, OK | {"model": "b"}), "has answers of 'a', 'b'; leave out `model`"),
        ("p.json", '{"1": "dog", "2": 3}', "item '2': expected a text, or an object with 'multiple_choice'"),
        ("p.json", '{"results": [{"x": 1}]}', "no known prediction format: found 'results'"),
        ("p.json", '{"eval": {"model": "x"}, "samples": [{"id": 1}]}', "sample 1: no 'epoch' field"),
        ("p.json", '{"eval": {"model": "x"}, "samples": []}', "contains no prediction .0 requests failed."),
    ]:
        with pytest.raises(InputError, match="p\\.\\w+.* ?" + message) as caught:
            read(tmp_path, name, content)
        assert "\n" not in str(caught.value), (name, content, message)
    with pytest.raises(InputError, match=r"p\.jsonl does not say which model answered; give its name with `model`"):
        read(tmp_path, "p.jsonl", lines(OK), model="")
    assert read(tmp_path, "p.jsonl", lines(OK | {"model": "a"}), model="").predictions[0].model == "a"
    with ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"neither a workbook nor an Inspect log; found 'readme.txt'"):
        read_predictions(tmp_path / "x.zip", model="m")
