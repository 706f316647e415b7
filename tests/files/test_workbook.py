"""A workbook is read as a table; a cell of another kind than text and numbers is refused where it is read."""

import gzip
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import DatasetError
from kbe_graph.files.records import open_source
from kbe_graph.scoring.prediction_files import read_predictions

HEADER = ("index", "prediction")


def save(file: Path, *rows: tuple[Any, ...]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("Notes")["A1"] = "=1+1"
    book.save(file)
    return file


def answers(file: Path) -> list[tuple[str, str]]:
    return [(answer.question, answer.text) for answer in read_predictions(file, model="m").predictions]


def test_every_table_may_be_a_workbook_whatever_its_name(tmp_path: Path) -> None:
    save(tmp_path / "a.csv", ("id", "question", "answer", "image"), (1, "What is it?", "dog", "1.jpg"))
    (sample,) = read_benchmark(tmp_path / "a.csv", benchmark="b").samples
    assert (sample.id, sample.question, sample.answer) == ("b/all/1", "What is it?", "dog")
    save(tmp_path / "b.xlsx", (*HEADER, "made"), (1, "dog", date(2015, 1, 2)), (), (2, "N/A", None), (3, 2.5, None))
    (tmp_path / "b.xlsx.gz").write_bytes(gzip.compress((tmp_path / "b.xlsx").read_bytes()))
    assert answers(tmp_path / "b.xlsx.gz") == [("1", "dog"), ("2", "N/A"), ("3", "2.5")]
    assert open_source(tmp_path / "b.xlsx").container == "workbook"


def test_a_date_and_a_truth_value_are_refused_by_row(tmp_path: Path) -> None:
    for value in (date(2015, 1, 2), True):
        file = save(tmp_path / "a.xlsx", HEADER, (1, "dog"), (2, value))
        with pytest.raises(DatasetError, match=r"a\.xlsx row 3: 'prediction' must be text; found"):
            read_predictions(file, model="m")
