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
TEN = ["a dog", "a dog", "puppy", "a dog", "dog", "a dog", "a dog", "puppy", "a dog", "a dog"]
PEOPLE = [{"answer": answer, "answer_confidence": "yes", "answer_id": n} for n, answer in enumerate(TEN, 1)]
NO_MORE = dict.fromkeys(f"image_{n}" for n in range(2, 8))

LESSON = dict.fromkeys(("hint", "task", "grade", "subject", "topic", "category", "skill", "lecture", "solution"), "")

SHAPES: Mapping[str, tuple[list[dict[str, Any]], list[str]]] = {
    "OK-VQA, the Hub": (
        [{"question_id": "7", "image": HUB, "question": "What is it?", "answers": TEN, "answer_type": "other"}],
        ["a dog"],
    ),
    "A-OKVQA, its JSON": (
        [
            {
                "split": "val",
                "image_id": 461751,
                "question_id": "22j",
                "question": "What is it?",
                "choices": ["dog", "cat", "cow", "hen"],
                "correct_choice_idx": 2,
                "direct_answers": ["cow", "bull"],
                "difficult_direct_answer": False,
                "rationales": ["It moos."],
            }
        ],
        ["cow"],
    ),
    "A-OKVQA, the Hub": (
        [
            {
                "image": HUB,
                "question_id": "22j",
                "question": "What is it?",
                "choices": ["dog", "cat", "cow", "hen"],
                "correct_choice_idx": 2,
                "direct_answers": "['cow', 'bull']",
                "difficult_direct_answer": False,
                "rationales": ["It moos."],
            }
        ],
        ["cow"],
    ),
    "VQAv2, the Hub": (
        [
            {
                "question_type": "what is",
                "multiple_choice_answer": "dog",
                "answers": PEOPLE,
                "image_id": 262148,
                "answer_type": "other",
                "question_id": 262148000,
                "question": "What is it?",
                "image": HUB,
            }
        ],
        ["dog"],
    ),
    "GQA, the Hub": (
        [{"id": "05", "imageId": "n16", "question": "Is it dark?", "answer": "yes", "fullAnswer": "Yes, it is dark."}],
        ["yes"],
    ),
    "VizWiz": (
        [
            {"image": "v0.jpg", "question": "What is it?", "answers": PEOPLE, "answer_type": "other", "answerable": 1},
            {"image": "v1.jpg", "question": "What is it?", "answers": [{"answer": "unanswerable"}], "answerable": 0},
        ],
        ["a dog", "unanswerable"],
    ),
    "TextVQA, the Hub": (
        [
            {
                "image_id": "003a",
                "question_id": 34602,
                "question": "Which brand?",
                "question_tokens": ["which"],
                "image": HUB,
                "image_width": 1024,
                "image_height": 664,
                "flickr_original_url": "https://x.invalid/o.jpg",
                "flickr_300k_url": "https://x.invalid/z.jpg",
                "answers": ["dakota", "dakota", "kodak"],
                "image_classes": ["Camera"],
                "set_name": "val",
            }
        ],
        ["dakota"],
    ),
    "DocVQA, the Hub": (
        [
            {
                "questionId": "49153",
                "question": "Which year?",
                "question_types": ["form"],
                "image": HUB,
                "docId": 14465,
                "ucsf_document_id": "x0228",
                "ucsf_document_page_no": "81",
                "answers": ["1998", "'98"],
                "data_split": "val",
            }
        ],
        ["1998"],
    ),
    "ChartQA, its JSON": (
        [{"imgname": "c1.png", "query": "How many bars?", "label": "14"}],
        ["14"],
    ),
    "ChartQA, the Hub": (
        [{"image": HUB, "query": "Which bars?", "label": ["red", "blue"], "human_or_machine": 0}],
        ["red"],
    ),
    "MMBench, the Hub": (
        [
            {
                "index": 241,
                "question": "Which colour?",
                "hint": "nan",
                "answer": "B",
                "A": "blue",
                "B": "red",
                "C": "nan",
                "D": "nan",
                "category": "c",
                "image": HUB,
                "source": "s",
                "l2-category": "d",
                "comment": "nan",
                "split": "dev",
            }
        ],
        ["red"],
    ),
    "MME, the Hub": (
        [{"question_id": "code/20.png", "image": HUB, "question": "Is it red?", "answer": "Yes", "category": "code"}],
        ["Yes"],
    ),
    "ScienceQA, the Hub": (
        [
            {"image": None, "question": "Which eats?", "choices": ["a stone", "a cow"], "answer": 1, **LESSON},
            {"image": HUB, "question": "Which is red?", "choices": ["a", "the left one"], "answer": 0, **LESSON},
        ],
        ["a cow", "a"],
    ),
    "MMMU": (
        [
            {
                "id": "validation_Art_1",
                "question": "<image 1> Which colour?",
                "options": "['blue', \"red's\"]",
                "explanation": "",
                "image_1": HUB,
                **NO_MORE,
                "img_type": "['Paintings']",
                "answer": "B",
                "topic_difficulty": "Easy",
                "question_type": "multiple-choice",
                "subfield": "Drawing",
            },
            {
                "id": "validation_Art_2",
                "question": "<image 1> How long?",
                "options": "[]",
                "explanation": "",
                "image_1": HUB,
                **NO_MORE,
                "img_type": "['Diagrams']",
                "answer": "12.5",
                "topic_difficulty": "Hard",
                "question_type": "open",
                "subfield": "Drawing",
            },
        ],
        ["red's", "12.5"],
    ),
    "SEED-Bench": (
        [
            {
                "answer": "C",
                "choice_a": "one",
                "choice_b": "two",
                "choice_c": "three",
                "choice_d": "four",
                "data_id": "1454_1835",
                "data_type": "image",
                "question": "How many?",
                "question_id": "10",
                "question_type_id": 5,
            }
        ],
        ["three"],
    ),
    "SEED-Bench, the Hub": (
        [
            {
                "answer": "C",
                "choice_a": "one",
                "choice_b": "two",
                "choice_c": "three",
                "choice_d": "four",
                "data_id": "1_2",
                "data_type": "image",
                "question": "How many?",
                "question_id": "10",
                "question_type_id": 5,
                "image": [HUB],
                "segment": None,
            }
        ],
        ["three"],
    ),
    "MMStar": (
        [
            {
                "index": 0,
                "question": "Which colour?\nOptions: A: blue, B: red, C: green, D: none",
                "image": RED,
                "answer": "B",
                "category": "c",
                "l2_category": "d",
                "meta_info": {"source": "s"},
            }
        ],
        ["red"],
    ),
    "BLINK": (
        [
            {
                "idx": "val_1",
                "question": "Which is nearer?",
                "sub_task": "d",
                "prompt": "Which?\n(A) x (B) y",
                "explanation": "e",
                "image_1": HUB,
                **dict.fromkeys(("image_2", "image_3", "image_4")),
                "choices": ["the left one", "the right one"],
                "answer": "(B)",
            }
        ],
        ["the right one"],
    ),
    "AI2D": (
        [{"question": "What eats?", "options": ["fox", "hare", "grass", "sun"], "answer": "0", "image": HUB}],
        ["fox"],
    ),
    "WikiVQABench": (
        [{"question": "Which city?", "correct": "Paris", "wrongs": ["Rome", "Lyon", "Madrid"], "image": TEXT}],
        ["Paris"],
    ),
}


def read(rows: list[dict[str, Any]], folder: Path) -> Benchmark:
    return read_benchmark(rows, benchmark="b", save_images=folder)


def test_a_well_known_shape_has_its_right_gold_answers(tmp_path: Path) -> None:
    for name in SHAPES:
        rows, golds = SHAPES[name]
        samples = read(rows, tmp_path).samples
        assert [sample.answer for sample in samples] == golds, name
        assert all(sample.answer in (sample.choices or (sample.answer,)) for sample in samples), name


def test_its_parquet_is_read_alike(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for number, (rows, golds) in enumerate(SHAPES.values()):
        file = tmp_path / f"{number}.parquet"
        parquet.write_table(arrow.Table.from_pylist(rows), file)
        samples = read_benchmark(file, benchmark="b", save_images=tmp_path / "saved").samples
        assert [sample.answer for sample in samples] == golds


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


def test_questions_by_their_ids_are_found(tmp_path: Path) -> None:
    rows = {
        "1": {"question": "Which is red?", "choices": ["a", "b"], "answer": 0, "image": "image.png", "split": "train"},
        "4": {"question": "Which eats?", "choices": ["a stone", "a cow"], "answer": 1, "image": None, "split": "test"},
    }
    (tmp_path / "problems.json").write_text(json.dumps({key: row | LESSON for key, row in rows.items()}))
    samples = read_benchmark(tmp_path / "problems.json", benchmark="b").samples
    assert [(sample.id, sample.answer) for sample in samples] == [("b/train/1", "a"), ("b/test/4", "a cow")]


def test_wrapped_lists_are_found(tmp_path: Path) -> None:
    (tmp_path / "doc.json").write_text(
        json.dumps(
            {
                "dataset_name": "SP-DocVQA",
                "data": [
                    {"questionId": 1, "question": "Which year?", "image": "documents/x_1.png", "answers": ["1998"]},
                    {"questionId": 2, "question": "Who?", "image": "documents/x_2.png", "answers": ["Ann", "ann"]},
                ],
            }
        )
    )
    samples = read_benchmark(tmp_path / "doc.json", benchmark="b").samples
    assert [(sample.id, sample.answer, sample.image_id) for sample in samples] == [
        ("b/all/1", "1998", "x_1"),
        ("b/all/2", "Ann", "x_2"),
    ]


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


def test_talks_are_refused_in_one_line() -> None:
    turns = [{"from": "human", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "It is a dog."}]
    with pytest.raises(
        InputError, match="'conversations' contains conversations, which have no single right answer; write"
    ):
        read_benchmark([{"id": "1", "image": "1.jpg", "conversations": turns}], benchmark="b")


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


def test_a_long_path_of_plain_letters_stays_a_path(tmp_path: Path) -> None:
    path = "train/" + "abcd" * 30 + "/picture"
    assert read([{"question": "Which?", "answer": "red", "image": path}], tmp_path).samples[0].image == path


def test_columns_that_are_read_and_those_left_over_are_told(tmp_path: Path) -> None:
    rows, _ = SHAPES["SEED-Bench"]
    reading = read(rows, tmp_path).reading
    assert reading.fields == {
        "id": "question_id",
        "question": "question",
        "answer": "answer",
        "image": "data_id",
        "choices": "choice_a, choice_b, choice_c, choice_d",
    }
    assert reading.left_over == ("data_type", "question_type_id")
    assert read(SHAPES["A-OKVQA, its JSON"][0], tmp_path).reading.left_over == ("difficult_direct_answer",)


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
    for name in ("prefixed", "prefixedlong"):
        assert [sample.answer for sample in read_case(f"b28-nested-answers/{name}.parquet").samples] == (
            ["cat", "cow"]
        ), name
    for name in ("answers", "list", "logic"):
        benchmark = read_case(f"b17-multi-answers/{name}.jsonl")
        assert [sample.answer for sample in benchmark.samples] == ["two", "four"], name
        assert benchmark.reading.notes["rows with several right options, left out"] == 2, name
    assert read_case("b13-slake/test.json").reading.fields["image"] == "img_name"
