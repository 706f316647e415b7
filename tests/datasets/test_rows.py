"""Rows are read as a table file is: the same samples, the same pictures, the same errors with the row."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from kbe_graph.datasets import read_benchmark
from kbe_graph.files.image import ImageFolders

ROWS = [
    {"id": 1, "question": "What is this?", "answers": ["dog", "dog", "puppy"], "image": "1.png", "split": "val"},
    {"id": 2, "question": "What colour is it?", "answers": ["red"], "image": "2.png", "split": "val"},
]


class Sized:
    """A sequence of its own kind, as ``datasets.Dataset`` is one: it has a length, and gives a dictionary a row."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)


KINDS: dict[str, Callable[[list[dict[str, Any]]], Iterable[Any]]] = {
    "list": list,
    "DataFrame": pd.DataFrame,
    "tuple": tuple,
    "Sized": Sized,
}


def picture(colour: str) -> Image.Image:
    return Image.new("RGB", (4, 4), colour)


def png(colour: str) -> bytes:
    stream = io.BytesIO()
    picture(colour).save(stream, "PNG")
    return stream.getvalue()


def test_rows_of_each_kind_are_the_samples_of_a_table_file(tmp_path: Path) -> None:
    file = tmp_path / "table.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for row in ROWS:
        (tmp_path / row["image"]).write_bytes(png("red"))
    benchmark = read_benchmark(file, benchmark="b", images=tmp_path)
    for make in KINDS.values():
        assert read_benchmark(make(ROWS), benchmark="b", images=tmp_path) == benchmark
    assert (benchmark.format, benchmark.missing_images) == ("table", ())
    assert [sample.answer for sample in benchmark.samples] == ["dog", "red"]


def test_the_file_names_of_embedded_pictures_are_their_ids_where_they_tell_the_pictures_apart() -> None:
    for names, ids in (
        (("x/000000000081.png", "b.png"), ["81", "b"]),
        (("a.png", "a.png"), ["4e27e1f3", "aad7e07d"]),
        ((None, ""), ["4e27e1f3", "aad7e07d"]),
        (("a/1.png", "b/1.png"), ["a/1.png", "b/1.png"]),
    ):
        colours = (None, None) if "a/1.png" in names else ("red", "blue")
        images = [{"bytes": colour and png(colour), "path": name} for colour, name in zip(colours, names, strict=True)]
        rows = [{"question": "What?", "answer": "it", "image": image} for image in images]
        samples = read_benchmark(rows, benchmark="b").samples
        assert [sample.image_id[:8] for sample in samples] == ids


def test_doubtful_rows_are_told(tmp_path: Path) -> None:
    (tmp_path / "000000000081.png").write_bytes(png("red"))
    rows = [{"question": "What?", "answer": answer, "image": "000000000081.png"} for answer in ("KLM", "klm", "Iberia")]
    notes = read_benchmark([*rows, rows[0] | {"image": "81.png"}], benchmark="b", images=tmp_path).reading.notes
    assert notes == {
        "questions asked of their picture before with another answer, 'b/all/1' and 'b/all/3' first": 1,
        "missing images whose names lack zeros, as '81.png' for '000000000081.png'": 1,
    }


def test_that_all_answers_are_the_same_is_told() -> None:
    rows = [{"question": f"What is {number}?", "answer": "cat"} for number in range(12)]
    assert read_benchmark(rows, benchmark="b").reading.notes == {"answers, all of them 'cat'": 12}
    assert not read_benchmark([*rows, rows[0] | {"answer": "dog"}], benchmark="b").reading.notes


def test_pictures_travel_in_the_rows_as_they_do_in_a_table_file(tmp_path: Path) -> None:
    own, saved = tmp_path / "own", tmp_path / "saved"
    own.mkdir()
    (own / "path.png").write_bytes(png("blue"))
    images = {
        "pillow": picture("red"),
        "bytes": png("green"),
        "dict": {"bytes": png("yellow"), "path": "y.png"},
        "path": own / "path.png",
        "text": "path.png",
        "cmyk": Image.new("CMYK", (4, 4)),
    }
    rows = [{"id": name, "question": "What?", "answer": "it", "image": image} for name, image in images.items()]
    benchmark = read_benchmark(rows, benchmark="b", images=own, save_images=saved)
    assert benchmark.missing_images == ()
    folders = ImageFolders([own, saved])
    files = {sample.id.rpartition("/")[2]: folders.find(sample.image) for sample in benchmark.samples}
    colours = {name: Image.open(file).convert("RGB").getpixel((0, 0)) for name, file in files.items() if file}
    assert colours == {
        "pillow": (255, 0, 0),
        "bytes": (0, 128, 0),
        "dict": (255, 255, 0),
        "path": (0, 0, 255),
        "text": (0, 0, 255),
        "cmyk": (255, 255, 255),
    }


def test_what_reads_as_something_else_than_it_says_is_told(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    cells = ("\"[{'answer': 'net'}, {'answer': 'nets'}, {'answer': 'nets'}]\",val", "nan,train", "None,train")
    file.write_text("question,answer,split\n" + "".join(f"What is {n}?,{row}\n" for n, row in enumerate(cells)))
    samples, *_, reading = read_benchmark(file, benchmark="own", split="val")
    assert [sample.answer for sample in samples] == ["nets", "nan", "None"]
    assert {sample.split for sample in samples} == {"val"}
    assert sorted(reading.notes.items()) == [
        ("answers that read as an empty cell ('nan', 'null', 'None'), kept as text, at line 3 first", 2),
        ("rows of another split, 'train' first, loaded as 'val'", 2),
    ]
