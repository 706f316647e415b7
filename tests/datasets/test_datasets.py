import base64
import gzip
import json
from pathlib import Path

import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import DatasetError

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
OKVQA_LINE = {
    "question_id": 2971475,
    "image_id": 297147,
    "image_path": "COCO_val2014_000000297147.jpg",
    "question": "What sport can you use this for?",
    "answers": ["racing", "motocross", "motocross", "riding", "racing"],
}
AOKVQA_ITEM = {
    "split": "val",
    "image_id": 461751,
    "question_id": "22jbM6",
    "question": "What is in the motorcyclist's mouth?",
    "choices": ["toothpick", "", "popsicle stick", "cigarette"],
    "correct_choice_idx": 3,
    "direct_answers": ["smoke", "smoke", "cigarette"],
    "rationales": ["He's smoking while riding."],
}


def write(folder, name, content):
    file = Path(folder) / name
    content = content if isinstance(content, str | bytes) else json.dumps(content)
    content = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return file


def jsonl(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def only(file, **options):
    (sample,) = read_benchmark(file, **{"benchmark": "b", "split": "", **options}).samples
    return sample


def refused(file, **options):
    with pytest.raises(DatasetError) as error:
        read_benchmark(file, **{"benchmark": "b", "split": "", **options})
    return str(error.value).replace(str(file), Path(file).name)


# OK-VQA


def test_one_record_a_question_is_recognised_by_its_content_not_by_its_name(tmp_path):
    for name in ["okvqa.jsonl", "okvqa.jsonl.gz", "no_ending", "okvqa.csv"]:
        benchmark = read_benchmark(write(tmp_path, name, jsonl(OKVQA_LINE)), benchmark="okvqa", split="val")
        (sample,) = benchmark.samples
        assert benchmark.format == "okvqa", name
        assert sample.id == "okvqa/val/2971475", name
        assert (sample.benchmark, sample.split) == ("okvqa", "val"), name
        assert (sample.image, sample.image_id) == ("COCO_val2014_000000297147.jpg", "297147"), name
        assert sample.answers == ("racing", "motocross", "motocross", "riding", "racing"), name


def official(folder, *, ending="", questions=(297147,), annotations=(297147,)):
    asked = [{"image_id": i, "question": "What is it?", "question_id": i * 10 + 5} for i in questions]
    said = [
        {"image_id": i, "question_id": i * 10 + 5, "answers": [{"answer": a, "answer_id": 1} for a in ("vine", "ivy")]}
        for i in annotations
    ]
    head = {"info": {"version": "1.0"}, "data_subtype": "val2014", "task_type": "Open-Ended"}
    write(folder, f"mscoco_val2014_annotations.json{ending}", {**head, "annotations": said})
    return write(folder, f"OpenEnded_mscoco_val2014_questions.json{ending}", {**head, "questions": asked})


def test_the_official_pair_is_joined_by_the_official_names(tmp_path):
    for ending in ["", ".gz"]:
        sample = only(official(tmp_path, ending=ending))
        assert sample.id == "b/val/2971475", ending
        assert sample.answers == ("vine", "ivy"), ending
        assert (sample.image, sample.image_id) == ("COCO_val2014_000000297147.jpg", "297147"), ending


# A-OKVQA


def test_the_answer_is_the_majority_and_the_right_choice_is_kept_beside_it(tmp_path):
    for content in [[AOKVQA_ITEM], jsonl(AOKVQA_ITEM), json.dumps([AOKVQA_ITEM], indent=1)]:
        benchmark = read_benchmark(write(tmp_path, "aokvqa", content), benchmark="aokvqa", split="")
        (sample,) = benchmark.samples
        assert benchmark.format == "aokvqa", content
        assert sample.id == "aokvqa/val/22jbM6", content
        assert (sample.answer, sample.choice) == ("smoke", "cigarette"), content
        assert sample.answers == ("smoke", "smoke", "cigarette"), content
        assert sample.choices == ("toothpick", "", "popsicle stick", "cigarette"), content
        assert sample.rationales == ("He's smoking while riding.",), content
        assert sample.image == "000000461751.jpg", content


# VLMEvalKit


def tsv(*rows):
    return "\n".join("\t".join(row) for row in rows) + "\n"


LONG = base64.b64encode(PIXEL).decode()


def test_options_become_choices_and_the_letter_their_text(tmp_path):
    content = tsv(
        ("index", "image_path", "question", "A", "B", "C", "answer", "category"),
        ("7", "images/a.jpg", "What is it?", "dog", "cat", "", "B", "hop0"),
    )
    benchmark = read_benchmark(write(tmp_path, "x.tsv", content), benchmark="b", split="")
    (sample,) = benchmark.samples
    assert benchmark.format == "vlmevalkit"
    assert (sample.answer, sample.answers, sample.choices) == ("cat", ("cat",), ("dog", "cat"))
    assert "answer 'C' is neither an option nor the key of one ('A', 'B'); the options are 'dog', 'cat'" in refused(
        write(tmp_path, "y.tsv", content.replace("\tB\thop0", "\tC\thop0"))
    )


def test_images_in_cells_are_saved_once_and_pointers_share_them(tmp_path):
    content = tsv(
        ("index", "image", "question", "answer"),
        ("2", "1", "Again?", "cat"),
        ("1", LONG, "What?", "dog"),
        ("3", LONG, "And?", "cow"),
    )
    folder = tmp_path / "saved"
    benchmark = read_benchmark(write(tmp_path, "x.tsv.gz", content), benchmark="b", split="", save_images=folder)
    (saved,) = folder.iterdir()
    saved.rename(folder / f".{saved.name}.part").write_bytes(b"half")  # what one leaves that is killed
    read_benchmark(tmp_path / "x.tsv.gz", benchmark="b", split="", save_images=folder)
    assert [*folder.iterdir()] == [saved]
    assert saved.read_bytes() == PIXEL
    assert {sample.image for sample in benchmark.samples} == {saved.name}
    assert {sample.image_id for sample in benchmark.samples} == {saved.stem}
    assert benchmark.missing_images == ()


# any table


# images


def test_images_outside_of_the_folders_are_told_and_never_found(tmp_path):
    place = tmp_path / "photos"
    place.mkdir()
    secret = write(tmp_path, "secret.png", PIXEL)
    (place / "link.png").symlink_to(secret)
    inside = write(place, "inside.png", PIXEL)
    names = [str(secret), "../secret.png", "link.png", str(inside), "../photos/inside.png", "none.png"]
    lines = [{"id": i, "question": "What?", "answer": "x", "image": name} for i, name in enumerate(names)]
    (tmp_path / "t").mkdir()
    benchmark = read_benchmark(write(tmp_path / "t", "t.jsonl", jsonl(*lines)), benchmark="b", images=place)
    assert benchmark.outside_images == (str(secret), "../secret.png", "link.png")
    assert benchmark.missing_images == ("none.png",)


# ids and splits


def test_the_split_is_the_argument_else_the_sample_s_own_else_all(tmp_path):
    file = write(tmp_path, "a.json", [AOKVQA_ITEM])
    assert only(file, split="dev").id == "b/dev/22jbM6"
    assert only(file).split == "val"
    assert only(write(tmp_path, "o.jsonl", jsonl(OKVQA_LINE))).split == "all"


# what is not as it should be


def test_the_real_files_are_read_whole(data: Path) -> None:
    for file, format_, count in [
        ("okvqa/val_dev_half.jsonl.gz", "okvqa", 2536),
        ("aokvqa/val_dev_half.jsonl.gz", "aokvqa", 608),
    ]:
        benchmark = read_benchmark(data / file, benchmark="x", split="")
        assert benchmark.format == format_
        assert len(benchmark.samples) == count
        assert all(sample.answer and sample.answers and sample.image_id for sample in benchmark.samples)
