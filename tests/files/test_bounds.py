"""Nothing of a file is read beyond the bounds: rows, columns, cells, the length of a line, what it unpacks to."""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pyarrow as pa
import pytest
from hostile_files import MB, cell, ends_soon, gzip_of, workbook
from pyarrow.parquet import write_table

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import DatasetError
from kbe_graph.evaluate.prediction_files import read_predictions
from kbe_graph.files.opening import MOST_RECORD, MOST_WHOLE, Bounds, text_lines
from kbe_graph.files.records import open_source
from kbe_graph.files.resources import rows
from kbe_graph.files.stream import json_items

ROW = {"id": "1", "question": "What?"}


def table(count: int, folder: Path, form: str) -> Path:
    """Write a table of so many rows and two columns in a form."""
    file = folder / "a"
    texts = {
        "jsonl": (json.dumps(ROW) + "\n") * count,
        "csv": "id,question\n" + '1,"What\nis it?"\n' * (count - 1),
        "tsv": "id\tquestion\n" + "1\tWhat?\n" * (count - 1),
        "json": json.dumps([ROW] * count),
        "questions": json.dumps({"info": {}, "questions": [ROW] * count}, indent=1),
        "by id": json.dumps({str(number): ROW for number in range(count)}),
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


def read(file: Path, **bounds: int) -> int:
    return sum(1 for _ in open_source(file, Bounds(**bounds)).records())


FORMS = ("jsonl", "csv", "tsv", "json", "questions", "by id", "parquet", "workbook")


@pytest.mark.parametrize("form", FORMS)
def test_rows_columns_and_cells_are_bounded_in_every_form(tmp_path: Path, form: str) -> None:
    file = table(4, tmp_path, form)
    count = 3 if form in {"csv", "tsv", "workbook"} else 4  # a header counts as a row
    assert read(file, rows=4, columns=3, cells=12) == count
    for bounds, problem in (
        ({"rows": 3}, "a: has more than 3 rows, the limit; split it"),
        ({"columns": 1}, "columns; the limit is 1; remove some"),
        ({"cells": 7}, "a: has more than 7 cells, the limit; remove columns, or split it"),
    ):
        with pytest.raises(DatasetError) as caught:
            read(file, **bounds)
        assert str(caught.value).endswith(problem)


@pytest.mark.parametrize("form", ["jsonl", "csv", "json"])
def test_too_many_rows_are_refused_before_the_first_is_read(tmp_path: Path, form: str) -> None:
    with pytest.raises(DatasetError, match="has more than 3 rows"):
        open_source(table(9, tmp_path, form), Bounds(rows=3))


def test_blank_lines_count(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW) + "\n" * 9)
    with pytest.raises(DatasetError, match="has more than 3 rows"):
        read(tmp_path / "a.jsonl", rows=3)


def test_a_million_and_more_answers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"id": "1", "answer": "dog"}\n' * (MB + 1))
    with ends_soon(), pytest.raises(DatasetError, match="a: has more than 1,048,576 rows"):
        read_predictions(tmp_path / "a", model="m")


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


@pytest.mark.parametrize("begin", [b'["', b'{"questions": [{"a": "', b'{"a": {"b": "'])
def test_a_json_value_is_no_longer_than_a_record(long: Path, begin: bytes) -> None:
    with long.open("r+b") as stream:
        stream.write(begin + b"a" * (MOST_RECORD + 2))
    with pytest.raises(DatasetError, match=r"a line 1: a value of more than 67,108,864 characters"):
        list(json_items(long))


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


@pytest.mark.parametrize("content", ["a" * MB + ",b\n1,2\n", ",".join(map(str, range(16_000))) + "\n1\n"])
def test_a_message_is_short_whatever_the_file_holds(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.csv").write_text(content)
    for reader in (lambda file: read_predictions(file, model="m"), lambda file: read_benchmark(file, benchmark="b")):
        with pytest.raises(DatasetError, match=r"a\.csv") as caught:
            reader(tmp_path / "a.csv")
        assert len(str(caught.value)) < 1_000
    (tmp_path / "a.json").write_text(json.dumps({"a" * MB: []}))
    with pytest.raises(DatasetError) as caught:
        read_annotations(detections=[tmp_path / "a.json"])
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    "columns",
    [
        lambda: {"id": pa.repeat("a", 3_000_000), "answer": pa.repeat("dog", 3_000_000)},
        lambda: {"id": pa.repeat("a", 1_000_000), **{str(number): pa.nulls(1_000_000) for number in range(20)}},
        lambda: {"id": ["a"], "answers": pa.ListArray.from_arrays([0, 17_000_000], pa.repeat(1, 17_000_000))},
    ],
    ids=["rows", "cells", "cells of a list"],
)
def test_a_parquet_file_is_refused_by_what_it_says_of_itself(
    tmp_path: Path, columns: Callable[[], dict[str, object]]
) -> None:
    write_table(pa.table(columns()), tmp_path / "a.parquet")
    with ends_soon(), pytest.raises(DatasetError, match=r"a\.parquet: has more than [\d,]+ (rows|cells), the limit"):
        read_predictions(tmp_path / "a.parquet", model="m")


def test_a_text_that_unpacks_to_far_more_than_its_file_is_not_unpacked(tmp_path: Path) -> None:
    write_table(pa.table({"id": ["1"], "answer": ["a" * (64 * MB)]}), tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(DatasetError, match=r"a\.parquet: unpacks to more than 250 times its size"):
        read_predictions(tmp_path / "a.parquet", model="m")


def test_a_text_that_parquet_writes_once_and_names_in_each_row_is_read_so_often_and_no_more(tmp_path: Path) -> None:
    prompts = pa.DictionaryArray.from_arrays(pa.repeat(0, 3_000), pa.array(["a" * 15_000]))
    listed = pa.ListArray.from_arrays(pa.array(range(3_001), pa.int32()), prompts)
    for number, prompt in enumerate((prompts, prompts.dictionary_decode(), listed)):
        file = tmp_path / str(number)
        write_table(pa.table({"id": pa.repeat("1", 3_000), "prompt": prompt}), file)
        assert file.stat().st_size < 20_000
        assert read(file) == 3_000
        with pytest.raises(DatasetError, match=f"{number}: has more than 40,000,000 bytes in its cells; remove col"):
            read(file, content=40_000_000)


def far_cell() -> str:
    return f'<row r="2">{cell("A2", "1")}</row><row r="90000">{cell("XFD90000", "x")}</row>'


@pytest.mark.parametrize(
    ("sheet", "texts", "problem"),
    [
        ("<row/>" * 2_500_000, "", "has more than 1,048,576 rows, the limit; split it"),
        ('<row><c r="XFD2"><v>1</v></c></row>' * 5_000, "", "has more than 16,777,216 cells, the limit"),
        ("", "<si/>" * 3_000_000, "keeps 3,000,000 texts for 2 cells; save it again as .xlsx"),
        ("", "<si><t>" + "a" * 40 * MB + "</t></si>", "unpacks to more than 250 times its size"),
        ("<row>" * 100_000, "", "broken workbook"),
    ],
    ids=["rows", "wide rows", "texts", "a long text", "nested"],
)
def test_a_workbook_is_looked_through_before_it_is_read(tmp_path: Path, sheet: str, texts: str, problem: str) -> None:
    file = workbook(tmp_path / "a.xlsx", sheet, texts=texts)
    assert file.stat().st_size < 300_000
    with ends_soon(), pytest.raises(DatasetError) as caught:
        read_predictions(file, model="m")
    assert str(caught.value).startswith(f"{file}: {problem}")


def test_styles_and_sheets_of_a_workbook_are_bounded(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", styles="<xf/>" * 600_000)
    with (
        ends_soon(),
        pytest.raises(DatasetError, match=r"a\.xlsx: has too many styles \(600,004 tags\)"),
    ):
        read_predictions(file, model="m")
    file = workbook(tmp_path / "a.xlsx")
    with ZipFile(file, "a", ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", "<sheets>" + "<sheet/>" * 20_000)
    with (
        ends_soon(),
        pytest.raises(DatasetError, match=r"a\.xlsx: has 20,001 sheets; the limit is 1,000"),
    ):
        read_predictions(file, model="m")


def test_a_workbook_that_is_not_utf_8_hides_nothing(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx")
    with ZipFile(file, "a", ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", ("<sheet>" + "<row/>" * 1_100_000).encode("utf-16"))
    with pytest.raises(DatasetError, match=r"a\.xlsx: broken workbook \(text that is not UTF-8\); save it again"):
        read_predictions(file, model="m")


def test_a_cell_far_out_is_no_reason_to_read_all_that_is_between(tmp_path: Path) -> None:
    dimension = '<dimension ref="A1:XFD1048576"/>'
    file = workbook(tmp_path / "a.xlsx", far_cell(), dimension=dimension)
    with ends_soon():
        assert read(file) == 1


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
    (tmp_path / "b.tsv").write_text("a\tb\n" + "1\t2\n" * (MB + 1))
    with pytest.raises(DatasetError, match=r"b\.tsv: has more than 1,048,576 rows, the limit; split it"):
        for _ in rows(tmp_path / "b.tsv", ("a", "b")):
            pass


def test_a_gzip_file_that_is_cut_is_still_told_as_such(tmp_path: Path) -> None:
    whole = gzip_of(tmp_path / "a.gz", json.dumps(ROW).encode() + os.urandom(99_999).hex().encode()).read_bytes()
    (tmp_path / "a.gz").write_bytes(whole[:5_000])
    assert zlib.crc32(whole)
    with pytest.raises(DatasetError, match=r"a\.gz: broken gzip"):
        open_source(tmp_path / "a.gz")
