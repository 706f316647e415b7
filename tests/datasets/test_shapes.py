"""The shapes of well-known sets: each loads with its right gold answers, or says in one line what to do.

The rows have the columns of the real files, as the sets' own pages and the code of harnesses name them; words and
pictures are ours. ``docs/quality/README.md`` tells which real rows were loaded, and how many gold answers were right.
"""

import base64
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kbe_graph.datasets import Benchmark, read_benchmark
from kbe_graph.errors import DatasetError, InputError


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


MORE: list[tuple[dict[str, Any], tuple[str, ...], str, str]] = [  # a row as the set writes it: options, answer, picture
    (
        {"image_name": "s.jpg", "image_case_url": "https://x.org/case?id=1", "answer": "Yes"},
        (),
        "Yes",
        "s.jpg",
    ),  # VQA-RAD
    ({"imagename": "v1_0.png", "answer": "-1", "imagesource": "https://x.org"}, (), "-1", "v1_0.png"),  # MM-Vet
    ({"image_filename": "CLEVR_0.png", "image_index": 0, "answer": "no"}, (), "no", "CLEVR_0.png"),  # CLEVR
    ({"filename": "./VD/0_1.png", "gt_answer": "1", "gt_answer_details": "Yes, it is."}, (), "1", "./VD/0_1.png"),
    (
        {"image_local_name": "3.jpeg", "image_url": "https://x.org/y.jpg", "answers": ["x"]},
        (),
        "x",
        "3.jpeg",
    ),  # InfoVQA
    ({"Index": 1, "Options": "(a) Open (b) Closed", "Correct Answer": "(b)"}, ("Open", "Closed"), "Closed", ""),  # MMVP
    (
        {"question": "Which way?\n\nA. Left\nB. Right\nPlease answer with the letter only.", "answer": "B"},
        *(("Left", "Right"), "Right", ""),  # RealWorldQA
    ),
    ({"question": "What is CDE ( )\nChoices:\nA:40°\nB:60°", "answer": "B"}, ("40°", "60°"), "60°", ""),  # MathVerse
    (
        {"choices": ["3", "1"], "answer": "(B)", "filename": "a.png", "image": "b.png"},
        ("3", "1"),
        "1",
        "b.png",
    ),  # CV-Bench
    ({"image": "1.jpg", "answers": [{"answer": "tin", "answer_confidence": "yes"}]}, (), "tin", "1.jpg"),  # VizWiz
    ({"imgname": "4.png", "query": "How many?", "label": ["14"]}, (), "14", "4.png"),  # ChartQA
    (
        {"Figure_path": "F1.jpg", "Choice A": " A:DAPI ", "Choice B": " B:GFP ", "Answer": "B"},
        *(("DAPI", "GFP"), "GFP", "F1.jpg"),  # PMC-VQA
    ),
    (
        {
            "index": 0,
            "Figure_path": "F1.jpg",
            "Caption": "A CT",
            "Choice A": " Liver ",
            "Choice B": " Lung",
            "Answer": "B",
        },
        *(("Liver", "Lung"), "Lung", "F1.jpg"),  # PMC-VQA, second form
    ),
    ({"index": 0, "A": "x", "B": "y", "C": "nan", "answer": "B", "image": "0.jpg"}, ("x", "y"), "y", "0.jpg"),  # MMStar
    ({"question": "Why?\n\nAnswer Choices:\nA. x\nB. y", "answer": "B"}, ("x", "y"), "y", ""),  # HLE
    (
        {"question": "Why? Choices: A. x B. y Please answer with only the letter of the option.", "answer": "B"},
        *(("x", "y"), "y", ""),  # ERQA
    ),
    (
        {"question": "Why? A. my letter B. the answer option", "answer": "A"},
        ("my letter", "the answer option"),
        "my letter",
        "",
    ),
    ({"option": "A. 10; B. 20; C. None", "answer": "C", "image_path": "1.png"}, ("10", "20", "None"), "None", "1.png"),
    ({"img_name": "x/source.jpg", "answer": "MRI", "q_lang": "en", "qid": 9835}, (), "MRI", "x/source.jpg"),  # SLAKE
    ({"option_A": "CT", "option_B": "MRI", "gt_answer": "MRI", "image_path": "a.png"}, ("CT", "MRI"), "MRI", "a.png"),
    ({"label": "hard", "ground_truth": "tin", "image": "1.jpg"}, (), "tin", "1.jpg"),
    ({"data_id": "val_0", "image_id": "oven_05", "answer": ["Turkey"]}, (), "Turkey", ""),  # InfoSeek
    ({"file_path": "coco/1.jpg", "file_name": "1.jpg", "answers": ["Paris"]}, (), "Paris", "coco/1.jpg"),  # ST-VQA
]


def test_layouts_of_public_sets_are_read_at_the_first_try() -> None:
    for row, *expected in MORE:
        (sample,) = read_benchmark([{"question": "What is it?", **row}], benchmark="b").samples
        assert [sample.choices, sample.answer, sample.image] == expected, row
        assert sample.question[-1] in "?)", sample.question


def test_a_question_is_found_where_its_column_has_no_usual_name_or_none(tmp_path: Path) -> None:
    pope = [{"question_id": 1, "image": "1.jpg", "text": "Is there a dog in the image?", "label": "no"}]
    mme = tmp_path / "code.txt"
    mme.write_text("1.jpg\tIs there a dog? Please answer yes or no.\tno\n")
    for data in (pope, mme):
        (sample,) = read_benchmark(data, benchmark="b").samples
        assert ("Is there a dog" in sample.question, sample.answer, sample.image) == (True, "no", "1.jpg")
    memes = [{"img": "1.png", "text": "love never looks like that", "label": 0}]
    with pytest.raises(DatasetError, match="no known benchmark format"):
        read_benchmark(memes, benchmark="b")
    with pytest.raises(DatasetError, match="write each question of 'asked' as a row of its own"):
        read_benchmark([{"id": 1, "asked": ["What?", "Who?"]}], benchmark="b")
    (plane,) = read_benchmark(
        [{"problem_text": "Find x.", "choices": ["1", "2"], "answer": "B"}], benchmark="b"
    ).samples
    assert plane.question == "Find x."
    for answer in ("1 m|one metre", "1<AND>2", "cat<OR>kitten", "Asia&&Africa"):
        for column in ("answer", "answers"):
            parted = read_benchmark([{"question": "Which?", column: answer, "image": "1.jpg"}], benchmark="b")
            assert "answers that hold '|'" in str(parted.reading.notes), answer


HALVES: Mapping[str, dict[str, Any]] = {
    "TextVQA": {"question_id": 1, "image_id": "a", "question": "Which?", "set_name": "test"},
    "DocVQA": {"questionId": 1, "question": "Which?", "image": "x.png", "data_split": "test"},
    "VizWiz": {"image": "v.jpg", "question": "Which?"},
    "MMBench": {"index": 1, "question": "Which?", "A": "a", "B": "b", "image": TEXT, "split": "test"},
}


def test_questions_that_a_row_lists_are_rows_with_the_fields_of_their_row(tmp_path: Path) -> None:
    genome = {
        "id": 7,
        "qas": [{"qa_id": id_, "question": f"Is it {id_}?", "answer": "No", "image_id": 7} for id_ in (1, 2)],
    }
    photos = {
        "images": [
            {"filename": "7.jpg", "split": "val", "qa_pairs": genome["qas"]},
            {"filename": "8.jpg", "qa_pairs": []},
        ]
    }
    mine = {
        "id": "a",
        "picture": "7.jpg",
        "asked": [{"question": f"Is it {word}?", "answer": "Yes"} for word in ("x", "y")],
    }
    for content, wanted in [
        ([genome, {"id": 8, "qas": []}], [("b/all/1", "", "7", "Is it 1?"), ("b/all/2", "", "7", "Is it 2?")]),
        (photos, [("b/val/1", "7.jpg", "7", "Is it 1?"), ("b/val/2", "7.jpg", "7", "Is it 2?")]),
        (
            [{"picture": "7.jpg", "asked": mine["asked"][:1]}, {"picture": "8.jpg", **mine["asked"][1]}],
            [("b/all/1", "7.jpg", "7", "Is it x?"), ("b/all/2", "8.jpg", "8", "Is it y?")],
        ),
        ([mine], [("b/all/a", "7.jpg", "7", "Is it x?"), ("b/all/a-2", "7.jpg", "7", "Is it y?")]),
    ]:
        (file := tmp_path / "listed.json").write_text(json.dumps(content))
        samples = read_benchmark(file, benchmark="b").samples
        assert [(each.id, each.image, each.image_id, each.question) for each in samples] == wanted
    (file := tmp_path / "bad.jsonl").write_text(f'{json.dumps(genome)}\n{{"id": 8, "qas": "none"}}\n')
    with pytest.raises(DatasetError, match="line 2: 'qas' must be a list of objects; found str"):
        read_benchmark(file, benchmark="b")


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


SEVERAL = "rows with several pictures, whose questions are about all of them"


def test_rows_of_several_pictures_have_all_of_them(tmp_path: Path) -> None:
    for cells in [
        {"image_1": HUB, "image_2": {"bytes": BLUE, "path": None}},
        {"images": [HUB, HUB]},
        {"image": ["a.jpg", "b.jpg"]},
        {"image": "['a.jpg', 'b.jpg']"},
        {"image": "a.jpg", "image_2": "b.jpg"},
        {"Image 1": "a.jpg", "Image 2": "b.jpg"},
        {"image": "a.jpg", "images": ["a.jpg", "b.jpg"]},
        {"images": [{"file_name": "a.jpg"}, {"src": "b.jpg"}]},
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
def test_files_of_others_have_their_right_gold_answers(name: str, data: Path, tmp_path: Path) -> None:
    samples = read_benchmark(data / "cases" / name, benchmark="b", save_images=tmp_path).samples
    assert [sample.answer for sample in samples] == CASES[name]
