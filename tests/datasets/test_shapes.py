"""The shapes of well-known sets: each loads with its right gold answers, or says in one line what to do.

The rows have the columns of the real files, as the sets' own pages and the code of harnesses name them; words and
pictures are ours. ``docs/quality/README.md`` tells which real rows were loaded, and how many gold answers were right.
"""

import base64
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kbe_graph.datasets import Benchmark, read_benchmark
from kbe_graph.errors import InputError


def jpeg(colour: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (24, 16), colour).save(stream, "JPEG")
    return stream.getvalue()


RED, BLUE = jpeg("red"), jpeg("blue")
HUB = {"bytes": RED, "path": "1.jpg"}
TEXT = base64.b64encode(RED).decode()


PICTURES = {"@hub": HUB, "@text": TEXT, "@bytes": RED}


def filled(value: Any) -> Any:
    """Put the pictures in their places."""
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        return {name: filled(item) for name, item in value.items()}
    return PICTURES.get(value, value) if isinstance(value, str) else value


LINES = (Path(__file__).parents[1] / "data" / "shapes.jsonl").read_text(encoding="utf-8").splitlines()
SHAPES: Mapping[str, tuple[list[dict[str, Any]], list[str]]] = {
    shape["set"]: (filled(shape["rows"]), shape["golds"]) for shape in map(json.loads, LINES)
}


def read(rows: list[dict[str, Any]], folder: Path) -> Benchmark:
    return read_benchmark(rows, benchmark="b", save_images=folder)


def test_a_well_known_shape_has_its_right_gold_answers(tmp_path: Path) -> None:
    for name in SHAPES:
        rows, golds = SHAPES[name]
        samples = read(rows, tmp_path).samples
        assert [sample.answer for sample in samples] == golds, name
        assert all(sample.answer in (sample.choices or (sample.answer,)) for sample in samples), name


def test_the_released_wikivqabench_has_its_picture_and_one_order_of_options_in_both_files(tmp_path: Path) -> None:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds cases")
    folder = Path(os.environ["KBE_DATA"]) / "cases" / "26-wikivqabench"
    lines = [json.loads(line) for line in (folder / "wiki.jsonl").read_text(encoding="utf-8").splitlines()]
    read_twice = [
        read_benchmark(folder / name, benchmark="wiki", save_images=tmp_path / name)
        for name in ("wiki.jsonl", "wiki.parquet")
    ]
    assert read_twice[0].samples == read_twice[1].samples
    assert [benchmark.missing_images for benchmark in read_twice] == [(), ()]
    for sample, line in zip(read_twice[0].samples, lines, strict=True):
        assert (sample.answer, set(sample.choices)) == (line["correct"], {line["correct"], *line["wrongs"]})
        assert (tmp_path / "wiki.parquet" / sample.image).read_bytes() == base64.b64decode(line["image"])


HALVES: Mapping[str, dict[str, Any]] = {
    "TextVQA": {"question_id": 1, "image_id": "a", "question": "Which?", "set_name": "test"},
    "DocVQA": {"questionId": 1, "question": "Which?", "image": "x.png", "data_split": "test"},
    "VizWiz": {"image": "v.jpg", "question": "Which?"},
    "MMBench": {"index": 1, "question": "Which?", "A": "a", "B": "b", "image": TEXT, "split": "test"},
}


def test_a_test_half_says_that_its_answers_are_missing() -> None:
    for name in HALVES:
        with pytest.raises(
            InputError, match=r"no column of answers, as in a test split: found .*; give the split that has"
        ):
            read_benchmark([HALVES[name]], benchmark="b")


PAIR = [
    {"question_id": "code/20.png", "image": HUB, "question": "Is it red?", "answer": "Yes"},
    {"question_id": "code/20.png", "image": HUB, "question": "Is it blue?", "answer": "No"},
]


def test_questions_that_share_an_id_and_a_picture_are_numbered(tmp_path: Path) -> None:
    other = {**PAIR[0], "question_id": "code/21.png"}
    benchmark = read([PAIR[0], other, PAIR[1], {**PAIR[1], "question": "Is it green?"}], tmp_path)
    assert [(sample.id.removeprefix("b/all/code/"), sample.answer) for sample in benchmark.samples] == [
        ("20.png", "Yes"),
        ("21.png", "Yes"),
        ("20.png-2", "No"),
        ("20.png-3", "No"),
    ]
    note = "rows with an id that several questions about one picture share, numbered (ID-2, ID-3)"
    assert benchmark.reading.notes == {note: 2}


def test_an_id_of_two_rows_is_refused_where_question_or_picture_do_not_tell_them_apart(tmp_path: Path) -> None:
    for more in [
        {"question": "Is it red?"},
        {"image": {"bytes": BLUE, "path": None}},
        {"image": None},
        {"question_id": "code/20.png-2"},
    ]:
        rows = [{**PAIR[1], **more}, PAIR[0], PAIR[1]] if "question_id" in more else [PAIR[0], {**PAIR[1], **more}]
        with pytest.raises(
            InputError, match=f"row {len(rows)}: id 'code/20\\.png' is already used at row 1; give each"
        ):
            read(rows, tmp_path)


SEVERAL = "rows with several pictures, whose questions are about all of them"


def test_rows_of_several_pictures_have_all_of_them(tmp_path: Path) -> None:
    for cells in [
        {"image_1": HUB, "image_2": {"bytes": BLUE, "path": None}},
        {"images": [HUB, HUB]},
        {"image": ["a.jpg", "b.jpg"]},
        {"image": "['a.jpg', 'b.jpg']"},
        {"image": "a.jpg", "image_2": "b.jpg"},
        {"image": f"['{TEXT}', '{TEXT}']"},
    ]:
        one = {"id": 1, "question": "Which?", "answer": "red", "image": TEXT}
        several = {"id": 2, "question": "Which two?", "answer": "both", "image": None, **cells}
        benchmark = read([one, several], tmp_path)
        assert [len(sample.images) for sample in benchmark.samples] == [1, 2], cells
        assert benchmark.samples[1].images[0] in {"a.jpg", benchmark.samples[0].image}, cells
        assert benchmark.reading.notes == {SEVERAL: 1}, cells


def test_a_picture_is_the_same_in_every_writing(tmp_path: Path) -> None:
    for cell in [
        TEXT,
        TEXT.rstrip("="),
        TEXT.replace("+", "-").replace("/", "_"),
        "\n".join(TEXT[at : at + 76] for at in range(0, len(TEXT), 76)),
        f"data:image/jpeg;base64,{TEXT}",
        f"DATA:image/JPEG;base64,{TEXT}",
        f"data:image/jpeg;charset=utf-8;base64,{TEXT}",
        repr(TEXT.encode()),
        {"bytes": RED, "path": None},
        {"bytes": TEXT, "path": None},
    ]:
        read([{"question": "Which?", "answer": "red", "image": cell}], tmp_path)
        assert [file.read_bytes() for file in tmp_path.iterdir()] == [RED], cell


CASES: Mapping[str, list[str]] = {
    "02-uneven-options/uneven.tsv": ["day", "square", "circle"],
    "07-multi-image/mmmu.parquet": ["the first", "square"],
    "07-multi-image/mmmu.tsv": ["the first", "square"],
    "08-index-answer/scienceqa.jsonl": ["square", "cow"],
    "08-index-answer/scienceqa.parquet": ["square", "cow"],
    "09-circular/circular.tsv": ["square"],
    "13-gqa-dict/gqa.json": ["bottle", "yes"],
    "14-textvqa-wrapped/textvqa.json": ["dakota", "$ 1,000.50"],
    "26-wikivqabench/wiki.jsonl": ["Paris"],
    "26-wikivqabench/wiki.parquet": ["Paris"],
}


@pytest.mark.parametrize("name", CASES)
def test_files_of_others_have_their_right_gold_answers(name: str, tmp_path: Path) -> None:
    if not (folder := os.environ.get("KBE_DATA")):
        pytest.skip("KBE_DATA is not set: the folder of benchmark files")
    samples = read_benchmark(Path(folder) / "cases" / name, benchmark="b", save_images=tmp_path).samples
    assert [sample.answer for sample in samples] == CASES[name]


def test_files_of_others_are_read_whole_or_said_what_is_left_out(data: Path, tmp_path: Path) -> None:
    def read_case(name: str) -> Benchmark:
        return read_benchmark(data / "cases" / name, benchmark="x", save_images=tmp_path)

    for name in ("index.csv", "named.csv"):  # the column without a name is a row number
        samples = read_case(f"b23-index-column/{name}").samples
        assert [(sample.id, sample.image_id) for sample in samples] == [
            ("x/all/a", "101"),
            ("x/all/b", "102"),
            ("x/all/c", "103"),
        ], name
    assert {sample.split for sample in read_case("b23-index-column/noid.csv").samples} == {"all"}
    nested = {key: ["dog", "cat"] for key in ("squad", "textdict", "vqa", "jsontext", "jsondict")}
    nested |= {key: ["cat", "cow"] for key in ("prefixed", "prefixedlong", "optdict", "optlistofdict", "nestedchoices")}
    for name, expected in (nested | {"choices2": ["cat", "dog"]}).items():
        samples = read_case(f"b28-nested-answers/{name}.parquet").samples
        assert [sample.answer for sample in samples] == expected, name
    (kept,) = (pictures := read_case("b20-option-images/test.parquet")).samples
    assert (kept.id, len(kept.images)) == ("x/all/m2", 2)
    assert pictures.reading.notes["rows whose options are pictures, left out"] == 2
    ids = [sample.image_id for sample in read_case("b25-two-benchmarks-same-names/data/tree.jsonl").samples]
    assert ids == ["cats/1.png", "dogs/1.png"]  # pictures of one name are two
    for name in ("answers", "list", "logic"):
        benchmark = read_case(f"b17-multi-answers/{name}.jsonl")
        assert [sample.answer for sample in benchmark.samples] == ["two", "four"], name
        assert benchmark.reading.notes["rows with several right options, left out"] == 2, name
    assert read_case("b13-slake/test.json").reading.fields["image"] == "img_name"
