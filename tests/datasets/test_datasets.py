import base64
import gzip
import json
import os
import re
from pathlib import Path

import pytest

from kbe_graph.datasets import FORMATS, read_benchmark
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.image import ImageFolders, image_id

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
FVQA_ITEM = {
    "fact_surface": "You are likely to find [[a trumpet]] in [[a jazz club]]",
    "answer": "trumpet",
    "question": "Which object can be found in a jazz club",
    "img_file": "ILSVRC2012_test_00050748.JPEG",
    "fact": ["trumpet", "AtLocation", "jazz_club"],
    "question_id": "270",
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


def test_the_annotations_of_an_official_pair_can_be_named(tmp_path):
    file = official(tmp_path)
    other = (tmp_path / "mscoco_val2014_annotations.json").rename(tmp_path / "said.json")
    assert "no 'mscoco_val2014_annotations.json' beside it" in refused(file)
    assert only(file, annotations=other).answer == "vine"
    assert "no list 'annotations'" in refused(file, annotations=file)


def test_a_question_without_annotation_and_one_annotated_twice_are_refused(tmp_path):
    assert "item 2: question '55' has no annotation" in refused(official(tmp_path, questions=(297147, 5)))
    assert "item 2: question '2971475' is annotated twice" in refused(official(tmp_path, annotations=(297147, 297147)))


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


def test_of_the_commonest_direct_answers_the_right_choice_goes_first(tmp_path):
    for given, answer, choice in [
        (["smoke", "cigarette", "pipe", "cigarette", "smoke"], "cigarette", ""),
        (["smoke", "cigar", "pipe", "cigar", "smoke", "cigarette"], "smoke", "cigarette"),
        (["a Cigarette", "cigarette", "smoke", "smoke", "cigarette."], "cigarette", ""),
        ([], "cigarette", ""),
        (["cigarettes", "cigarettes", "smoke"], "cigarette", ""),
        (["smoke", "smoke", "cigarettes", "cigarettes"], "cigarette", ""),
        (["cigarette smoke", "cigarette smoke", "smoke"], "cigarette smoke", "cigarette"),
    ]:
        sample = only(write(tmp_path, "a.json", [{**AOKVQA_ITEM, "direct_answers": given}]))
        assert (sample.answer, sample.choice) == (answer, choice), (given, answer, choice)


def test_a_choice_that_is_not_there_is_refused(tmp_path):
    for index in ["4", "-1", '"x"', "9" * 5000, "true"]:
        content = json.dumps([{**AOKVQA_ITEM, "correct_choice_idx": 77}]).replace("77", index)
        assert re.search(
            "item 1: 'correct_choice_idx' must be .*; found", refused(write(tmp_path, "a.json", content))
        ), index


def test_a_test_split_has_no_answers(tmp_path):
    blind = {k: v for k, v in AOKVQA_ITEM.items() if k not in {"correct_choice_idx", "direct_answers"}}
    assert "a.json item 1: no answer" in refused(write(tmp_path, "a.json", [blind]))


# FVQA


def test_the_supporting_fact_is_kept(tmp_path):
    benchmark = read_benchmark(write(tmp_path, "fvqa.json.gz", {"270": FVQA_ITEM}), benchmark="fvqa", split="test")
    (sample,) = benchmark.samples
    assert benchmark.format == "fvqa"
    assert sample.id == "fvqa/test/270"
    assert sample.fact == ("trumpet", "AtLocation", "jazz club")
    assert sample.image_id == "ILSVRC2012_test_00050748"


def test_a_fact_given_by_its_address_is_read_from_its_surface(tmp_path):
    item = {**FVQA_ITEM, "fact": ["conceptnet/e/f768"]}
    assert only(write(tmp_path, "fvqa.json", {"270": item})).fact == ("a trumpet", "in", "a jazz club")
    del item["fact_surface"]
    assert only(write(tmp_path, "fvqa.json", {"270": item})).fact is None


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


def test_an_open_answer_may_be_a_list_and_stays_as_it_is_written(tmp_path):
    content = tsv(
        ("index", "image_path", "question", "answer"),
        ("1", "a.jpg", "Who?", "['007', '007', 'bond']"),
        ("2", "a.jpg", "Who?", "007"),
        ("3", "a.jpg", "Who?", "None"),
    )
    samples = read_benchmark(write(tmp_path, "x.tsv", content), benchmark="b", split="").samples
    assert [sample.answer for sample in samples] == ["007", "007", "None"]
    assert samples[0].answers == ("007", "007", "bond")


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


def test_a_cell_that_is_no_image_is_refused_by_line_and_field(tmp_path):
    for image, problem in [
        ("9", "'image' points to '9', but no row with that 'index' has an image"),
        ("?" * 80, "'image' is not base64"),
        (base64.b64encode(b"x" * 80).decode(), "'image' is not a JPEG, PNG, GIF, BMP or WebP image"),
        ("", "no 'image_path' field"),
    ]:
        content = tsv(
            ("index", "image", "question", "answer"), ("1", LONG, "What?", "dog"), ("2", image, "What?", "dog")
        )
        assert refused(write(tmp_path, "x.tsv", content)).startswith(f"x.tsv line 3: {problem}"), (image, problem)


# any table


def test_columns_are_mapped(tmp_path):
    file = write(tmp_path, "t.csv", 'Nr,Q,A,file\n1,"What, then?",007,a.png\n')
    columns = {"id": "Nr", "question": "Q", "answer": "A", "image": "file"}
    sample = only(file, columns=columns)
    assert (sample.id, sample.question, sample.answer, sample.image_id) == ("b/all/1", "What, then?", "007", "a")


def test_quotes_line_breaks_bom_and_crlf_are_read(tmp_path):
    for delimiter in [",", "\t", ";"]:
        row = (("id", "question", "answer", "image"), ("1", '"He said ""what\r\nis it?"""', "Zoë’s café", "a.png"))
        content = "\ufeff" + "\r\n".join(delimiter.join(cells) for cells in row) + "\r\n\r\n"
        sample = only(write(tmp_path, "t", content))
        assert (sample.question, sample.answer) == ('He said "what is it?"', "Zoë’s café"), delimiter


def test_lists_in_cells_are_read_as_lists(tmp_path):
    content = 'question,answers,image\nWhat?,"[\'ivy\', \'vine\', \'vine\']",a.png\nWhat?,"[""ivy"", 7]",a.png\n'
    samples = read_benchmark(write(tmp_path, "t.csv", content), benchmark="b", split="").samples
    assert [(sample.answer, sample.answers) for sample in samples] == [
        ("vine", ("ivy", "vine", "vine")),
        ("ivy", ("ivy", "7")),
    ]
    assert "list without commas" in refused(write(tmp_path, "u.csv", content.replace("', '", "' '")))


def test_the_named_answer_wins_over_the_majority(tmp_path):
    record = {"question": "What?", "answer": "ivy", "answers": ["vine", "vine"], "image": "a.png"}
    sample = only(write(tmp_path, "t.jsonl", jsonl(record)))
    assert (sample.answer, sample.answers) == ("ivy", ("vine", "vine"))
    mapped = only(tmp_path / "t.jsonl", columns={"answers": "answers"})
    assert (mapped.answer, mapped.answers) == ("vine", ("vine", "vine"))


def test_parquet_with_lists_and_images_is_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    rows = [
        {"question_id": 7, "question": "What?", "answers": ["b", "a", "a"], "image": {"bytes": PIXEL, "path": None}},
        {"question_id": 8, "question": "Who?", "answers": ["c"], "image": {"bytes": None, "path": "c.jpg"}},
    ]
    write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    benchmark = read_benchmark(tmp_path / "t.parquet", benchmark="b", split="", save_images=tmp_path / "saved")
    assert [(sample.id, sample.answer) for sample in benchmark.samples] == [("b/all/7", "a"), ("b/all/8", "c")]
    assert (tmp_path / "saved" / benchmark.samples[0].image).read_bytes() == PIXEL
    assert benchmark.missing_images == ("c.jpg",)
    cut = (tmp_path / "t.parquet").read_bytes()[:200]
    assert "Parquet" in refused(write(tmp_path, "cut.parquet", cut))


# images


def test_a_coco_name_gives_its_number_and_any_other_name_its_stem():
    names = [
        "COCO_val2014_000000297147.jpg",
        "x/000000297147.jpg",
        "297147",
        "ILSVRC2012_test_00050748.JPEG",
        "a.b.png",
    ]
    assert [image_id(name) for name in names] == ["297147", "297147", "297147", "ILSVRC2012_test_00050748", "a.b"]


def test_missing_images_are_counted_once_and_named_and_stop_nothing(tmp_path):
    lines = [
        {"id": i, "question": "What?", "answer": "x", "image": n} for i, n in enumerate(["a.png", "b.png", "b.png"])
    ]
    (tmp_path / "pictures").mkdir()
    write(tmp_path, "a.png", PIXEL)
    file = write(tmp_path, "t.jsonl", jsonl(*lines))
    assert read_benchmark(file, benchmark="b", split="").missing_images == ("b.png",)
    write(tmp_path / "pictures", "b.png", PIXEL)
    assert read_benchmark(file, benchmark="b", split="", images=tmp_path / "pictures").missing_images == ()
    assert "no such folder" in refused(file, images=tmp_path / "nowhere")


def test_an_image_is_found_by_its_key_whatever_its_name(tmp_path):
    file = write(tmp_path, "000000297147.jpg", PIXEL)
    folders = ImageFolders([tmp_path])
    assert folders.find("COCO_val2014_000000297147.jpg") == file
    assert folders.find("x" * 5000) is None


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
    assert ImageFolders([place]).find("elsewhere/link.png", "link") is None


# ids and splits


def test_the_split_is_the_argument_else_the_sample_s_own_else_all(tmp_path):
    file = write(tmp_path, "a.json", [AOKVQA_ITEM])
    assert only(file, split="dev").id == "b/dev/22jbM6"
    assert only(file).split == "val"
    assert only(write(tmp_path, "o.jsonl", jsonl(OKVQA_LINE))).split == "all"


# what is not as it should be


def test_a_format_that_is_not_recognised_lists_what_was_looked_for(tmp_path):
    message = refused(write(tmp_path, "t.csv", "a,b\n1,2\n"))
    assert message.startswith("t.csv: no known benchmark format: found 'a', 'b'; looked for ")
    assert all(f"{name}: " in message for name in FORMATS)
    with pytest.raises(InputError, match="unknown benchmark format 'coco'; use aokvqa"):
        read_benchmark(tmp_path / "t.csv", benchmark="b", split="", format="coco")


def test_a_line_of_ten_megabytes_is_read(tmp_path):
    record = {"question": "x", "answer": "y", "image": "a.png", "note": "z" * 10_000_000}
    assert only(write(tmp_path, "t.jsonl", jsonl(record))).question == "x"
    assert only(write(tmp_path, "t.csv", f"question,answer,note\nx,y,{record['note']}\n")).question == "x"


def test_the_real_files_are_read_whole() -> None:
    for file, format_, count in [
        ("okvqa/val_dev_half.jsonl.gz", "okvqa", 2536),
        ("aokvqa/val_dev_half.jsonl.gz", "aokvqa", 608),
        ("fvqa/questions_with_facts_dev.json.gz", "fvqa", 3048),
    ]:
        if not (folder := os.environ.get("KBE_DATA")):
            pytest.skip("KBE_DATA is not set: the folder of benchmark files")
        benchmark = read_benchmark(Path(folder) / file, benchmark="x", split="")
        assert benchmark.format == format_
        assert len(benchmark.samples) == count
        assert all(sample.answer and sample.answers and sample.image_id for sample in benchmark.samples)
