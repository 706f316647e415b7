"""Exports to the formats of other programs: what stands in the files, and what cannot go wrong with them."""

import csv
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image as Pictures
from small_release import small_selection

from kbe_graph.datasets.benchmark import read_benchmark
from kbe_graph.errors import InputError
from kbe_graph.export.formats import EXPORTS, RELEASE_FORMATS
from kbe_graph.export.release import NO_IMAGE, left_out
from kbe_graph.export.selection import guesser_of
from kbe_graph.files.image import ImageFolders
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import Alternative

NAMES = [form.name for form in RELEASE_FORMATS]


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files by place."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All formats side by side."""
    folder = tmp_path_factory.mktemp("release")
    assert EXPORTS.require("all").write(folder / "out", small_selection(folder / "pictures")) == 16
    return folder / "out"


def test_each_format_is_written_with_a_readme_and_the_canary_in_every_file(out: Path) -> None:
    canary = json.loads((out / "release.json").read_bytes())["canary"]
    assert {path.name for path in out.iterdir()} == {*NAMES, "README.md", "release.json"}
    told = {place: canary.encode() in content for place, content in files(out).items() if "/images/" not in place}
    assert [place for place, is_told in told.items() if not is_told] == ["vlmevalkit/data.json"]


def test_a_format_of_one_image_leaves_out_questions_of_several_also_side_by_side(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures", several=True)
    assert EXPORTS.require("all").write(tmp_path / "all", selection) == 16
    assert EXPORTS.require("okvqa").write(tmp_path / "own", selection) == 8
    told = left_out(tmp_path / "all")
    assert told["okvqa: several images, of which this format has one"] == 8
    (name,) = tmp_path.glob("own/OpenEnded*")
    for folder in ("own", "all/okvqa"):
        questions = json.loads((tmp_path / folder / name.name).read_bytes())["questions"]
        assert len(questions) == 8, folder
    assert "okvqa](okvqa/README.md): 8 questions" in (tmp_path / "all/README.md").read_text()


def test_raw_questions_have_what_people_answered_and_others_each_name_often_enough(out: Path) -> None:
    rows = {row["id"]: row for row in pq.read_table(out / "huggingface/hop0/test-00000-of-00001.parquet").to_pylist()}
    assert rows["okvqa/val/1000@raw/0"]["answers"] == ["giraffe"] * 7 + ["thing"] * 3
    (row, *_) = pq.read_table(out / "huggingface/hop2/test-00000-of-00001.parquet").to_pylist()
    assert {name: row["answers"].count(name) for name in row["answers"]} == {
        "answer 2 of 1": 4,
        "name 2 of 1": 4,
        "word 2 of 1": 4,
    }


def test_vlmevalkit_holds_an_image_once_and_pandas_reads_the_answers_as_they_are(out: Path) -> None:
    table = pd.read_csv(out / "vlmevalkit/kbe_seed_0_openended.tsv", sep="\t")
    assert [len(str(cell)) > 64 for cell in table["image"]].count(True) == 4
    assert set(table["image"][table["image"].str.len() <= 64]) <= set(table["index"].astype(str))
    names = [json.loads(cell.replace("'", '"'))[0] for cell in table["answer"][table["split"] == "hop1"]]
    assert names == ["007", "[a]"]
    assert {1000, 1001, 1002, 1003} < set(table["index"])


def test_no_cell_begins_as_a_formula(out: Path) -> None:
    csv.field_size_limit(sys.maxsize)
    with (out / "vlmevalkit/kbe_seed_0_openended.tsv").open(encoding="utf-8", newline="") as stream:
        cells = [cell for row in csv.reader(stream, delimiter="\t") for cell in row]
    assert not [cell for cell in cells if re.match(r"[=+@-]", cell)]
    assert "'=1+1 is the code of 1?" in cells


def test_the_files_of_okvqa_and_aokvqa_are_read_back(out: Path) -> None:
    questions = read_benchmark(out / "okvqa/OpenEnded_mscoco_val2014_questions.json", benchmark="again").samples
    assert len(questions) == 16
    assert {(out / "okvqa/images" / sample.image).is_file() for sample in questions} == {True}
    lines = json.loads((out / "aokvqa/aokvqa_v1p0_val.json").read_bytes())
    assert lines[4]["rationales"] == ["IMAGE depicts GIRAFFE. GIRAFFE kind None."]
    assert lines[4]["licence"] == "WordNet: WordNet 3.0 licence"


def test_other_forms_are_written_or_refused_by_name(tmp_path: Path) -> None:
    for form in ["choice", "several", "fill", "true-false"]:
        selection = small_selection(tmp_path / "pictures", form=form)
        EXPORTS.require("all").write(tmp_path / "out", selection)
        readme = (tmp_path / "out/README.md").read_text()
        for release_format in RELEASE_FORMATS:
            written = (tmp_path / "out" / release_format.name).is_dir()
            assert written == (form in release_format.forms) == (f"{release_format.name}: not written" not in readme), (
                form
            )
        with pytest.raises(
            InputError, match="okvqa does not support questions of form 'several' \\(one option of a question is right"
        ):
            EXPORTS.require("okvqa").write(tmp_path / "x", small_selection(tmp_path / "pictures", form="several"))


def test_a_release_tells_what_was_named_without_the_picture_and_by_whom(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures")
    guesses: dict[str, list[StoredGuess]] = {}
    for _, question in selection:
        place = {"question": question.id, "run": "seed-0", "hop": question.hop, "kind": question.kind, "model": "m"}
        draft = StoredGuess("Another draft?", "a", "a", right=True, **place)
        own = StoredGuess(question.text, "a", "b", right=question.hop == 0, **place)
        guesses[question.id] = [own] if question.kind == "raw" else [draft, own]
    alternatives = {selection.questions[1].id: (Alternative("ROSE", "red"),)}
    guesser = guesser_of({"guesser": "m (gpt)", "generator": "n (gpt)"})
    selection = replace(selection, guesses=guesses, alternatives=alternatives, guesser=guesser)
    EXPORTS.require("inspect").write(tmp_path / "out", selection)
    summary = json.loads((tmp_path / "out/release.json").read_bytes())
    assert summary["named without the picture"]["hop1"] == {"asked": 8, "right": 4}
    assert summary["guesser"] == guesser
    EXPORTS.require("jsonl").write(tmp_path / "all.jsonl", selection)
    lines = {line["id"]: line for line in map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines())}
    hop = next(question.id for question in selection.questions if question.hop == 1)
    assert [guess["right"] for guess in lines[hop]["guesses"]] == [True, False]
    assert {id_ for id_ in lines if "alternatives" in lines[id_]} == {*alternatives}
    assert lines[selection.questions[1].id]["alternatives"] == [{"root": "ROSE", "answer": "red"}]


def test_questions_without_the_form_are_left_out_and_counted(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures", form="choice")
    for question in selection.questions[:3]:
        del selection.forms[question.id]
    assert EXPORTS.require("inspect").write(tmp_path / "out", selection) == 13
    assert "3 questions were left out: no form 'choice'" in (tmp_path / "out/README.md").read_text()


def test_images_go_along_as_they_are_asked_to(tmp_path: Path) -> None:
    for images_as, first in (
        ("copy", "images/"),
        ("link", "images/"),
        ("embed", "data:image/jpeg;base64,"),
        ("none", ""),
    ):
        folder = tmp_path / images_as
        EXPORTS.require("inspect").write(folder, small_selection(tmp_path / "pictures", images_as=images_as))
        line = json.loads((folder / "questions.jsonl").read_text().splitlines()[0])
        address = line["input"][0]["content"][0].get("image", "")
        assert address.startswith(first)
        assert {file.is_symlink() for file in folder.glob("images/*")} == {"copy": {False}, "link": {True}}.get(
            images_as, set()
        )
        assert line["metadata"]["image_name"] == "COCO_val2014_000000000001.jpg"
    with pytest.raises(InputError, match="huggingface does not support images as 'copy'"):
        EXPORTS.require("huggingface").write(tmp_path / "x", small_selection(tmp_path / "pictures", images_as="copy"))


def test_no_image_is_taken_from_outside_of_the_folders(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures")
    secret = tmp_path / "pictures/COCO_val2014_000000000001.jpg"
    secret.rename(tmp_path / "secret.jpg")
    secret.symlink_to(tmp_path / "secret.jpg")
    (tmp_path / "pictures/COCO_val2014_000000000002.jpg").write_text("no image")
    assert EXPORTS.require("inspect").write(tmp_path / "out", selection) == 8
    left_out = json.loads((tmp_path / "out/release.json").read_bytes())["left_out"]
    assert left_out == {NO_IMAGE: 4, "an image that cannot be read: 'COCO_val2014_000000000002.jpg'": 4}


def test_a_picture_goes_along_upright_and_without_its_place_even_as_a_link(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures", images_as="link")
    photo = tmp_path / "pictures/COCO_val2014_000000000001.jpg"
    exif = Pictures.Exif()
    exif[0x0112], exif[0x010E] = 6, "52.5200N"
    Pictures.new("RGB", (30, 20), "red").save(photo, exif=exif)
    EXPORTS.require("inspect").write(tmp_path / "out", selection)
    made = [file for file in (tmp_path / "out/images").iterdir() if not file.is_symlink()]
    assert len(made) == 1
    assert b"52.5200N" not in made[0].read_bytes()
    with Pictures.open(made[0]) as picture:
        assert picture.size == (20, 30)


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    selection = small_selection(tmp_path / "pictures")
    write = EXPORTS.require("okvqa").write
    write(tmp_path / "out", selection)
    before = files(tmp_path / "out")
    with pytest.raises(InputError, match="left out 16: no image"):
        write(tmp_path / "out", replace(selection, folders=ImageFolders(())))
    assert files(tmp_path / "out") == before
    (tmp_path / "own").mkdir()
    (tmp_path / "own/thesis.tex").touch()
    with pytest.raises(InputError, match="holds other files"):
        write(tmp_path / "own", small_selection(tmp_path / "pictures"))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_readmes_have_the_whole_command_that_brings_answers_back(out: Path) -> None:
    told = [text for file in out.glob("*/README.md") if "--predictions" in (text := file.read_text())]
    assert len(told) >= 5
    for text in told:
        assert (
            re.search(r"kbe -w WORKSPACE evaluate --predictions \S+ --model NAME --run \S+", text) or "--preds" in text
        )
