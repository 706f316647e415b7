"""Nothing of a file is read beyond the bounds: rows, the length of a line, what it unpacks to."""

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pyarrow as pa
import pytest
from hostile_files import MB
from pyarrow.parquet import write_table

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import MOST_RECORD, text_lines
from kbe_graph.files.records import open_source
from kbe_graph.scoring.prediction_files import read_predictions

ROW = {"id": "1", "question": "What?"}


def table(count: int, folder: Path, form: str) -> Path:
    """Write a table of so many rows and two columns in a form."""
    file = folder / "a"
    texts = {
        "jsonl": (json.dumps(ROW) + "\n") * count,
        "csv": "id,question\n" + '1,"What\nis it?"\n' * (count - 1),
        "tsv": "id\tquestion\n" + "1\tWhat?\n" * (count - 1),
    }
    if form in texts:
        file.write_text(texts[form])
    elif form == "parquet":
        write_table(pa.table({"id": ["1"] * count, "question": ["What?"] * count}), file)
    else:
        book = openpyxl.Workbook()
        for row in [tuple(ROW), *[tuple(ROW.values())] * (count - 1)]:
            book.active.append(row)
        book.save(file)
    return file


def test_rows_are_bounded_in_every_form(tmp_path: Path) -> None:
    for form in ["jsonl", "csv", "tsv", "parquet", "workbook"]:
        file = table(4, tmp_path, form)
        count = 3 if form in {"csv", "tsv", "workbook"} else 4
        assert len([*open_source(file, count).records()]) == count, form
        with pytest.raises(DatasetError, match="a: has more than 2 rows, the limit; split it"):
            list(open_source(file, 2).records())


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A file without an end of line, which takes no room on the disk."""
    with (tmp_path / "a").open("wb") as stream:
        stream.write(b"a" * 100)
        stream.truncate(MOST_RECORD + 2)
    return tmp_path / "a"


def test_a_line_is_no_longer_than_a_record(long: Path) -> None:
    with pytest.raises(DatasetError, match=r"a line 1: has more than 67,108,864 bytes, the limit for a line"):
        list(text_lines(long))
    with pytest.raises(DatasetError, match="has more than 67,108,864 bytes"):
        open_source(long)


def test_a_text_that_unpacks_to_far_more_than_its_file_is_not_unpacked(tmp_path: Path) -> None:
    write_table(pa.table({"id": ["1"], "answer": ["a" * (20 * MB)]}), tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(DatasetError, match=r"a\.parquet: unpacks to more than 250 times its size"):
        read_predictions(tmp_path / "a.parquet", model="m")


def test_what_an_archive_unpacks_to_is_bounded_by_its_size(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.eval", "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        for number in range(9):
            archive.writestr(f"samples/{number}.json", b"[" + b"[]," * MB + b"[]]")
    with pytest.raises(DatasetError, match=r"a\.eval: unpacks to more than 250 times its size"):
        read_predictions(tmp_path / "a.eval", model="m")
