"""A cell of a workbook is read as it shows, or refused by its name; nothing of it is silently another answer."""

import gzip
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hostile_files import cell, workbook
from openpyxl.worksheet.formula import ArrayFormula

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import DatasetError
from kbe_graph.evaluate.prediction_files import read_predictions
from kbe_graph.files.records import open_source


def save(file: Path, *rows: tuple[Any, ...], change: Callable[[Any], object] = lambda _: None) -> Path:
    """Save a workbook as a program does that computes no formula; a second sheet has formulas and merged cells too."""
    book = openpyxl.Workbook()
    book.active.title = "Answers"
    for row in rows:
        book.active.append(row)
    change(book.active)
    notes = book.create_sheet("Notes")
    notes["A1"] = "=1+1"
    notes.merge_cells("A1:B2")
    book.save(file)
    return file


def answers(file: Path) -> list[tuple[str, str]]:
    return [(answer.question, answer.text) for answer in read_predictions(file, model="m").predictions]


HEADER = ("index", "prediction")


def percent(sheet: Any) -> None:
    sheet["B3"].number_format = "0.0%"


def array(sheet: Any) -> None:
    sheet["B3"] = ArrayFormula("B3:B4", "=A2:A3")


def test_a_cell_that_does_not_hold_what_it_shows_is_refused_by_its_name(tmp_path: Path) -> None:
    for value, change, problem in [
        ("=1+1", None, "contains a formula without a value; open it in a spreadsheet and save it"),
        ("", array, "contains a formula without a value; open it in a spreadsheet and save it"),
        ("#N/A", None, "contains the error #N/A; fix it, or clear the cell"),
        ("#REF!", None, "contains the error #REF!; fix it, or clear the cell"),
        (True, None, "contains the truth value TRUE; format its column as text, and enter it again"),
        (date(2015, 1, 2), None, "contains the date or time 2015-01-02 00:00:00; format its column as text"),
        (time(9, 30), None, "contains the date or time 09:30:00; format its column as text"),
        (
            datetime(2015, 1, 2, tzinfo=UTC).replace(tzinfo=None),
            None,
            "contains the date or time 2015-01-02 00:00:00; ",
        ),
        (0.5, percent, "shows 0.5 as a percentage; format its column as text, and enter it again"),
        (
            1.2345678901234567e19,
            None,
            "contains 1.234567890123457e+19, which has lost its last digits; format its column as",
        ),
    ]:
        file = save(tmp_path / "a.xlsx", HEADER, (1, "dog"), (2, value), change=change or (lambda _: None))
        with pytest.raises(DatasetError) as caught:
            read_predictions(file, model="m")
        assert str(caught.value).startswith(f"{file} row 3: sheet 'Answers' cell B3 {problem}"), (
            value,
            change,
            problem,
        )


def test_in_a_column_that_is_not_read_it_may_stand(tmp_path: Path) -> None:
    file = save(tmp_path / "a.xlsx", (*HEADER, "length"), (1, "dog", "=LEN(B2)"), (2, "cat", "#N/A"))
    assert answers(file) == [("1", "dog"), ("2", "cat")]


def test_the_header_must_be_known(tmp_path: Path) -> None:
    file = save(tmp_path / "a.xlsx", ("index", '="predic"&"tion"'), (1, "dog"))
    with pytest.raises(DatasetError, match=r"a\.xlsx: sheet 'Answers' cell B1 contains a formula without a value"):
        read_predictions(file, model="m")


def test_a_formula_with_a_value_is_read_also_where_that_is_empty(tmp_path: Path) -> None:
    computed = '<c r="{}" t="str"><f>IF(A1="","dog","")</f><v>{}</v></c>'
    sheet = (
        f'<row r="{row}">{cell(f"A{row}", str(row))}{computed.format(f"B{row}", value)}</row>'
        for row, value in ((2, "dog"), (3, ""))
    )
    assert answers(workbook(tmp_path / "a.xlsx", *sheet)) == [("2", "dog"), ("3", "")]


def test_numbers_are_read_as_a_spreadsheet_shows_them(tmp_path: Path) -> None:
    numbers = (("1.0", "0.30000000000000004"), ("2", "7"), ("3", "2.50"), ("123456789012345", "1E-3"))
    rows = (f"<row><c><v>{index}</v></c><c><v>{answer}</v></c></row>" for index, answer in numbers)
    read = [("1", "0.3"), ("2", "7"), ("3", "2.5"), ("123456789012345", "0.001")]
    assert answers(workbook(tmp_path / "a.xlsx", *rows)) == read


def test_a_wrong_word_on_how_large_a_sheet_is_hides_no_row(tmp_path: Path) -> None:
    rows = (f'<row r="{row}">{cell(f"A{row}", str(row))}{cell(f"B{row}", "dog")}</row>' for row in range(2, 5))
    file = workbook(tmp_path / "a.xlsx", *rows, dimension='<dimension ref="A1:A2"/>')
    assert answers(file) == [("2", "dog"), ("3", "dog"), ("4", "dog")]


def test_every_table_may_be_a_workbook_whatever_its_name(tmp_path: Path) -> None:
    save(tmp_path / "a.csv", ("id", "question", "answer", "image"), (1, "What is it?", "dog", "1.jpg"))
    (sample,) = read_benchmark(tmp_path / "a.csv", benchmark="b").samples
    assert (sample.id, sample.question, sample.answer) == ("b/all/1", "What is it?", "dog")
    save(tmp_path / "b.xlsx", HEADER, (1, "dog"))
    (tmp_path / "b.xlsx.gz").write_bytes(gzip.compress((tmp_path / "b.xlsx").read_bytes()))
    assert answers(tmp_path / "b.xlsx.gz") == [("1", "dog")]
    assert open_source(tmp_path / "b.xlsx").container == "workbook"
