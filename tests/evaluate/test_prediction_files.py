"""Predictions of any harness are read; what is wrong with a file is told by file, line and field."""

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import openpyxl
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from kbe_graph import Workspace
from kbe_graph.errors import InputError
from kbe_graph.evaluate.prediction_files import Predictions, read_predictions

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


def write_log(file: Path, *samples: Mapping[str, Any], packing: str = "deflate", header: str = "header.json") -> Path:
    """Write an Inspect log as the archive that it is; zip's writer does not know Zstandard, so it is packed before."""
    members = {header: {"version": 2, "eval": {"model": "openai/gpt-x"}}}
    members |= {f"samples/{number}_epoch_1.json": dict(sample) for number, sample in enumerate(samples)}
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, value in members.items():
            content = json.dumps(value).encode()
            if packing == "deflate":
                archive.writestr(name, content)
                continue
            member = ZipInfo(name)
            member.compress_type = ZIP_STORED
            archive.writestr(member, pa.Codec("zstd").compress(content, asbytes=True))
            member.compress_type, member.file_size, member.CRC = 93, len(content), zlib.crc32(content)
    return file


def test_our_own_lines_may_say_more_than_an_answer(tmp_path: Path) -> None:
    rows = (
        {"id": A, "answer": " a giraffe\n", "model": "llava", "run": 2, "variant": "blind", "tokens": 3},
        {"id": B, "answer": ""},
    )
    first, second = read(tmp_path, "p.jsonl", lines(*rows)).predictions
    assert (first.model, first.question, first.text) == ("llava", A, "a giraffe")
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


def test_a_dictionary_holds_answers_in_two_settings(tmp_path: Path) -> None:
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


def test_parquet_is_recognised_by_its_first_bytes(tmp_path: Path) -> None:
    for name in ["p.parquet", "p.jsonl", "p", "p.csv"]:
        for count in [1, 94, 30000]:
            table = pa.table(
                {"id": [f"okvqa/val/{number}@raw/0" for number in range(count)], "answer": ["dog"] * count}
            )
            write_table(table, tmp_path / name)
            predictions = read_predictions(tmp_path / name, model="m")
            assert predictions.format == "table", (name, count)
            assert len(answers(predictions)) == count, (name, count)
            packed = read(tmp_path, f"{name}.gz", gzip.compress((tmp_path / name).read_bytes()))
            assert packed == predictions, (name, count)


def test_a_letter_is_the_option_of_its_row(tmp_path: Path) -> None:
    head = "index\tA\tB\tanswer\tprediction\n"
    rows = "1\trocks\ttrees\tB\tB\n2\trocks\ttrees\tB\t(a)\n3\trocks\ttrees\tB\tA.\n4\trocks\ttrees\tB\tC\n"
    predictions = read(tmp_path, "p.tsv", head + rows)
    assert answers(predictions) == {"1": "trees", "2": "rocks", "3": "rocks", "4": ""}
    assert (predictions.predictions[3].reply, predictions.predictions[3].read_by) == ("C", "unread")
    assert {prediction.variant for prediction in predictions.predictions} == {"options"}


def test_a_line_of_lmms_eval_without_a_question_is_named_by_its_row(tmp_path: Path) -> None:
    assert answers(read(tmp_path, "p.jsonl", lines({"doc_id": 7, "filtered_resps": "dog"}))) == {"doc_id 7": "dog"}


def test_replies_of_one_line_of_lmms_eval_are_runs(tmp_path: Path) -> None:
    rows = lines({"doc_id": 1, "filtered_resps": [["a", "b"]]}, {"doc_id": 2, "resps": [["c"]]})
    predictions = read(tmp_path, "p.jsonl", rows).predictions
    assert [(each.question, each.run, each.text) for each in predictions] == [
        ("doc_id 1", 1, "a"), ("doc_id 1", 2, "b"), ("doc_id 2", 1, "c"),
    ]  # fmt: skip


def test_logs_of_other_harnesses_are_read_with_letters_as_options(tmp_path: Path, data: Path) -> None:
    logs = data / "cases" / "b27-harness-logs"
    work = Workspace(tmp_path / "W")
    work.load(logs / "bench.jsonl", name="b", images=logs)
    for name in (
        "kbe.jsonl", "llava.jsonl", "lmms-flat.jsonl", "lmms-repeats.jsonl", "lmms-resps.jsonl", "floatids.csv",
        "predname.csv", "respname.jsonl", "vlmeval.json", "vlmeval.jsonl", "vlmeval.tsv",
    ):  # fmt: skip
        work.answers.take(logs / name, model=name, form="open")
        given = work.answers.predictions(model=name.removesuffix(".jsonl") if name == "llava.jsonl" else name)
        right = {
            each.question.split("/")[-2].split("@")[0]: each.verdicts[0].verdict for each in given if each.run == 1
        }
        assert right["101"] == right["102"] == "right", (name, right)
        assert right.get("103") in {"wrong" if name.startswith("vlmeval") else "right", None}, (name, right)


def test_an_archived_log_of_inspect_is_read(tmp_path: Path) -> None:
    for packing in ["deflate", "zstandard"]:
        for header in ["header.json", "_journal/start.json"]:
            parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "dog"}]
            samples = (
                LOGGED,
                LOGGED
                | {
                    "epoch": 1,
                    "output": LOGGED["output"] | {"completion": "attachment://h", "usage": {"output_tokens": 4}},
                },
                LOGGED | {"id": 5, "output": {"choices": [{"message": {"content": parts}}]}},
                LOGGED | {"id": B, "error": {"message": "refused"}},
            )
            predictions = read_predictions(write_log(tmp_path / "x.eval", *samples, packing=packing, header=header))
            assert predictions.format == "inspect", (packing, header)
            assert [(p.model, p.question, p.run, p.text, p.tokens) for p in predictions.predictions] == [
                ("openai/gpt-x", A, 2, "a giraffe", None),
                ("openai/gpt-x", A, 1, "a tall giraffe", 4),
                ("openai/gpt-x", "5", 2, "dog", None),
            ], (packing, header)
            assert predictions.failed == (B,), (packing, header)


def test_a_log_of_inspect_in_json_is_read(tmp_path: Path) -> None:
    log = {"version": 2, "status": "success", "eval": {"model": "openai/gpt-x"}, "plan": {}, "samples": [LOGGED]}
    for indent in (None, 2):
        predictions = read(tmp_path, "x.json", json.dumps(log, indent=indent), model="")
        assert predictions.format == "inspect"
        assert answers(predictions) == {A: "a giraffe"}


OK = {"id": "1", "answer": "dog"}


def test_a_bad_file_is_told_by_place_and_field(tmp_path: Path) -> None:
    for name, content, message in [
        ("p.jsonl", "", "is empty"),
        ("p.jsonl", lines(OK) + '{"id": "2", "answer": "d', "line 2: not JSON"),
        ("p.jsonl", lines(OK, {"id": "2"}), "line 2: no 'answer' field; found 'id'"),
        ("p.jsonl", lines(OK, {"answer": "dog"}), "line 2: no 'id' field"),
        ("p.jsonl", lines(OK, {"id": "", "answer": "dog"}), "line 2: 'id' is empty"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": None}), "line 2: 'answer' is None; write an empty text"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": float("nan")}), "line 2: 'answer' is nan; write an empty text"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": float("inf")}), "line 2: 'answer' is inf"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": ["dog"]}), "line 2: 'answer' must be text; found"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": True}), "line 2: 'answer' must be text; found True"),
        ("p.jsonl", lines(OK, {"id": "2", "answer": "x" * 100001}), "line 2: 'answer' has 100,001 characters"),
        ("p.jsonl", lines(OK, {"id": "2" * 1001, "answer": "x"}), "line 2: 'id' has 1,001 characters"),
        ("p.jsonl", lines(OK, {"id": "a\x1bb", "answer": "x"}), "line 2: id 'a.x1bb' contains a line break or another"),
        (
            "p.jsonl",
            lines(OK)[:-1] + '\n{"id": "2", "answer": "\\ud800"}',
            "line 2: 'answer' contains half a character",
        ),
        ("p.jsonl", lines(OK | {"variant": "blnd"}), "line 1: no variant 'blnd'; the variants are image, blind"),
        ("p.jsonl", lines(OK | {"run": 0}), "line 1: 'run' is 0; runs count from 1"),
        ("p.jsonl", lines(OK | {"run": "x"}), "line 1: 'run' must be a number from 0 to"),
        ("p.jsonl", lines(OK | {"tokens": 10**30}), "line 1: 'tokens' must be a number"),
        ("p.jsonl", lines(OK | {"aliases": []}), "no known prediction format: found 'id', 'answer', 'aliases'"),
        ("p.jsonl", lines(OK).encode() + b'{"id": "\xff"}', "line 2: not UTF-8 text"),
        ("p.json", '{"1": "dog", "2": 3}', "item '2': expected a text, or an object with 'multiple_choice'"),
        ("p.json", '{"1": "dog", "2": {"direct_answer": null}}', "item '2': 'direct_answer' is None"),
        ("p.json", '{"1": "dog", "2": "c', "line 1: not JSON"),
        ("p.json", '{"results": [{"x": 1}]}', "no known prediction format: found 'results'"),
        ("p.json", "{}", "is empty"),
        ("p.json", '{"1": "dog", "2": []}', "item '2': expected a text, or an object with 'multiple_choice'"),
        ("p.parquet", b"PAR1 cut", "broken Parquet"),
        ("p.tsv", "index\tprediction\n1\tdog\n2\n", "line 3: 1 cells where the header has 2"),
        ("p.xlsx", b"PK\x03\x04 cut", "broken archive"),
        ("p.json", '{"eval": {}, "samples": []}', "'eval': no 'model' field"),
        ("p.json", '{"eval": {"model": "x"}, "samples": [{"id": 1}]}', "sample 1: no 'epoch' field"),
        ("p.json", '{"eval": {"model": "x"}, "samples": []}', "contains no prediction .0 requests failed."),
    ]:
        with pytest.raises(InputError, match="p\\.\\w+.* ?" + message) as caught:
            read(tmp_path, name, content)
        assert "\n" not in str(caught.value), (name, content, message)


def test_a_cut_or_changed_archive_is_told(tmp_path: Path) -> None:
    for packing in ["deflate", "zstandard"]:
        file = write_log(tmp_path / "x.eval", LOGGED, packing=packing)
        content = bytearray(file.read_bytes())
        for damage in (content[:-40], bytes(content[:50]) + b"\x00" * 20 + bytes(content[70:])):
            with pytest.raises(InputError, match="x\\.eval: "):
                read(tmp_path, "x.eval", bytes(damage))


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"neither a workbook nor an Inspect log; found 'readme.txt'"):
        read_predictions(tmp_path / "x.zip", model="m")


def test_two_columns_of_one_name_in_a_workbook_are_refused(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "p.xlsx", ("index", "prediction", "prediction"), (1, "a", "b"))
    with pytest.raises(InputError, match="two columns have the same name"):
        read_predictions(file, model="m")


def test_who_answered_must_be_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.jsonl does not say which model answered; give its name"):
        read(tmp_path, "p.jsonl", lines(OK), model="")


def test_a_format_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown prediction format 'vlm'; use .*inspect, lmms-eval, .*table"):
        read(tmp_path, "p.jsonl", lines(OK), format="vlm")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_predictions(tmp_path / "none.jsonl", model="m")
