"""Nothing of a file is read beyond the bounds: rows, the length of a line, what it unpacks to."""

import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pyarrow as pa
import pytest
from hostile_files import MB, ends_soon, gzip_of
from pyarrow.parquet import write_table

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import MOST_RECORD, MOST_WHOLE, text_lines
from kbe_graph.files.records import open_source
from kbe_graph.files.resources import rows
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
    """A file of zeros without an end of line, which takes no room on the disk."""
    with (tmp_path / "a").open("wb") as stream:
        stream.truncate(MOST_RECORD + 2)
    return tmp_path / "a"


def test_a_line_is_no_longer_than_a_record(long: Path) -> None:
    with pytest.raises(DatasetError, match=r"a line 1: has more than 67,108,864 bytes, the limit for a line"):
        list(text_lines(long))
    with pytest.raises(DatasetError, match="has more than 67,108,864 bytes"):
        open_source(long)


def test_a_long_value_in_json_is_read_whole(tmp_path: Path) -> None:
    image = "a" * (5 * MB)
    (tmp_path / "a.json").write_text(json.dumps([{"id": "1", "image": image}, {"id": "2", "image": image}]))
    assert [record.fields["image"] for record in open_source(tmp_path / "a.json").records()] == [image, image]


def test_a_quote_that_is_never_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,answer\n1,dog\n2,"cat\n' + "3,cow\n" * 200_000)
    with pytest.raises(DatasetError, match=r"a\.csv line 3: a quote is open for more than 100,000 lines; close it"):
        read_predictions(tmp_path / "a.csv", model="m")


def test_a_list_in_a_cell_is_no_longer_than_what_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("id\tanswers\n1\t[" + "1," * 600_000 + "]\n")
    (record,) = open_source(tmp_path / "a.tsv").records()
    with pytest.raises(DatasetError, match="'answers' has 1,200,002 characters; the limit is 1,000,000"):
        record.texts("answers")


def test_a_list_has_no_more_texts_than_are_taken(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"answers": ["dog"] * 10_001}) + "\n")
    (record,) = open_source(tmp_path / "a.jsonl").records()
    with pytest.raises(DatasetError, match=r"line 1: 'answers' has 10,001 texts; the limit is 10,000; remove"):
        record.texts("answers")


def test_a_fact_that_opens_again_and_again_is_refused(tmp_path: Path) -> None:
    row = {"id": "1", "question": "What?", "answer": "dog", "img_file": "1.jpg", "fact_surface": "[[" * 100_000}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    with (
        ends_soon(),
        pytest.raises(DatasetError, match=r"'fact_surface' has 200,000 characters; the limit is 1,000"),
    ):
        read_benchmark(tmp_path / "a.jsonl", benchmark="b")


def test_a_text_that_unpacks_to_far_more_than_its_file_is_not_unpacked(tmp_path: Path) -> None:
    write_table(pa.table({"id": ["1"], "answer": ["a" * (64 * MB)]}), tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(DatasetError, match=r"a\.parquet: unpacks to more than 250 times its size"):
        read_predictions(tmp_path / "a.parquet", model="m")


def test_what_an_archive_unpacks_to_is_bounded_by_its_size(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.eval", "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        for number in range(9):
            archive.writestr(f"samples/{number}.json", b"[" + b"[]," * MB + b"[]]")
    with pytest.raises(DatasetError, match=r"a\.eval: unpacks to more than 250 times its size"):
        read_predictions(tmp_path / "a.eval", model="m")


def noise(size: int) -> Iterator[bytes]:
    """Yield bytes that cannot be packed."""
    yield from (os.urandom(MB) for _ in range(size // MB))


def test_a_member_of_an_archive_is_no_longer_than_a_record(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.eval", "w", ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        archive.writestr("samples/1.json", b"".join(noise(MB)) + b"a" * (MOST_RECORD + 1))
    with pytest.raises(DatasetError, match=r"'samples/1\.json' has [\d,]+ bytes; the limit for a sample is 67,108,864"):
        read_predictions(tmp_path / "a.eval", model="m")


def test_a_sheet_is_read_whole_up_to_a_bound(tmp_path: Path) -> None:
    with (tmp_path / "a.tsv").open("wb") as stream:
        stream.truncate(MOST_WHOLE + 1)
    with pytest.raises(DatasetError, match=r"a\.tsv: has more than 268,435,456 bytes, the limit"):
        list(rows(tmp_path / "a.tsv", ("a", "b")))


def test_a_gzip_file_that_is_cut_is_still_told_as_such(tmp_path: Path) -> None:
    whole = gzip_of(tmp_path / "a.gz", json.dumps(ROW).encode() + os.urandom(99_999).hex().encode()).read_bytes()
    (tmp_path / "a.gz").write_bytes(whole[:5_000])
    assert zlib.crc32(whole)
    with pytest.raises(DatasetError, match=r"a\.gz: broken gzip"):
        open_source(tmp_path / "a.gz")
