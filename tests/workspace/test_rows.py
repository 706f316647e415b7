"""``work.load`` takes rows as well as files: the same samples, the same pictures, the same errors with the row."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

import kbe_graph as kbe

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


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[kbe.Workspace]:
    """A workspace of its own."""
    with kbe.Workspace(tmp_path / "W", progress=False) as work:
        yield work


def picture(colour: str) -> Image.Image:
    return Image.new("RGB", (4, 4), colour)


def png(colour: str) -> bytes:
    stream = io.BytesIO()
    picture(colour).save(stream, "PNG")
    return stream.getvalue()


def test_rows_of_each_kind_are_the_samples_of_a_table_file(empty: kbe.Workspace, tmp_path: Path) -> None:
    file = tmp_path / "table.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for row in ROWS:
        (tmp_path / row["image"]).write_bytes(png("red"))
    assert empty.load(file, name="b", images=tmp_path).new == 2
    samples = list(empty.samples())
    for make in KINDS.values():
        loaded = empty.load(make(ROWS), name="b", images=tmp_path)
        assert (loaded.samples, loaded.format, loaded.new, loaded.missing_images) == (2, "table", 0, ())
    assert list(empty.samples()) == samples
    assert [sample.answer for sample in samples] == ["dog", "red"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_names_the_row(empty: kbe.Workspace, kind: str) -> None:
    rows = [{"question": "What?", "answer": "a dog"}, {"question": " ", "answer": "a cat"}]
    with pytest.raises(kbe.InputError, match=rf"^{kind} row 2: 'question' is empty"):
        empty.load(KINDS[kind](rows), name="b")


def test_pictures_travel_in_the_rows_as_they_do_in_a_table_file(empty: kbe.Workspace, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "path.png").write_bytes(png("blue"))
    images = {
        "pillow": picture("red"),
        "bytes": png("green"),
        "dict": {"bytes": png("yellow"), "path": "y.png"},
        "path": tmp_path / "own" / "path.png",
        "text": "path.png",
        "cmyk": Image.new("CMYK", (4, 4)),
    }
    rows = [{"id": name, "question": "What?", "answer": "it", "image": image} for name, image in images.items()]
    assert empty.load(rows, name="b", images=tmp_path / "own").missing_images == ()
    pictures = {sample.id.rpartition("/")[2]: empty.sample(sample.id).picture for sample in empty.samples()}
    colours = {name: Image.open(file).convert("RGB").getpixel((0, 0)) for name, file in pictures.items() if file}
    assert colours["pillow"] == (255, 0, 0)
    assert colours["bytes"] == (0, 128, 0)
    assert colours["dict"] == (255, 255, 0)
    assert colours["path"] == colours["text"] == (0, 0, 255)


def test_columns_may_be_mapped_and_cells_missing(empty: kbe.Workspace) -> None:
    frame = pd.DataFrame({"q": ["What?", "Who?"], "label": ["a dog", "a man"], "image_id": [7.0, None]})
    loaded = empty.load(frame, name="b", columns={"question": "q", "answer": "label"})
    assert [(sample.question, sample.answer, sample.image_id) for sample in empty.samples()] == [
        ("What?", "a dog", "7"),
        ("Who?", "a man", ""),
    ]
    assert loaded.samples == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "list: holds no records"),
        ({"train": []}, "dict holds 'train'; give one of them"),
        (7, "rows of type 'int' cannot be read"),
        ((row for row in ROWS), "rows of type 'generator' cannot be read"),
        (["a dog"], "list row 1: a mapping of columns was expected; found 'a dog'"),
        ([{"a": 1}], "list: no known format"),
    ],
)
def test_what_is_no_table_is_refused(empty: kbe.Workspace, data: Any, message: str) -> None:
    with pytest.raises(kbe.InputError, match=message):
        empty.load(data, name="b")


def test_rows_need_a_name(empty: kbe.Workspace) -> None:
    with pytest.raises(kbe.InputError, match="rows have no file name"):
        empty.load(ROWS)
