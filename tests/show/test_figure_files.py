"""The figures of a report as files: nothing in them is an order to a spreadsheet or to LaTeX."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import HOSTILE, hostile_source

from kbe_graph.show.charts import charts
from kbe_graph.show.report_data import ReportData, report_data
from kbe_graph.show.report_tables import latex_table, write_figures
from kbe_graph.show.tables import FlatTable

MANY = 9  # questions, so that a row is drawn


@pytest.fixture(scope="module")
def data() -> ReportData:
    return report_data(hostile_source())


@pytest.fixture(scope="module")
def drawn(data: ReportData) -> ReportData:
    """The same figures, as if they were of many questions."""
    accuracy = tuple(share._replace(questions=MANY) for share in data.accuracy)
    return replace(data, results=replace(data.results, accuracy=accuracy))


def test_json_holds_every_table(data: ReportData, tmp_path: Path) -> None:
    write_figures("json", data, [], tmp_path / "figures.json")
    tables = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert tables["accuracy"][0]["model"] == HOSTILE


def test_csv_has_a_file_a_table_and_no_formula(data: ReportData, tmp_path: Path) -> None:
    formula = replace(data, scored=[data.scored[0] | {"model": "=1+1"}])
    write_figures("csv", formula, [], tmp_path / "new" / "tables")
    with (tmp_path / "new" / "tables" / "scored.csv").open(encoding="utf-8") as stream:
        assert next(csv.DictReader(stream))["model"] == "'=1+1"


def test_latex_prints_what_the_data_says(data: ReportData, tmp_path: Path) -> None:
    write_figures("latex", data, [], tmp_path)
    text = latex_table(FlatTable("t", "T", ("a",), [[r"a_b & 50 % \x {y}"]]).frame)
    assert r"a\_b \& 50 \% \textbackslash" in text
    assert re.findall(r"\\(toprule|midrule|bottomrule)", text) == ["toprule", "midrule", "bottomrule"]
    assert (tmp_path / "accuracy.tex").exists()


def test_drawings_are_the_same_each_time_and_show_hostile_names_as_text(drawn: ReportData, tmp_path: Path) -> None:
    write_figures("figures", drawn, charts(drawn), tmp_path)
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    write_figures("figures", drawn, charts(drawn), tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == first
    assert {"accuracy.svg", "accuracy.png"} <= set(first)
    text = first["accuracy.svg"].decode()
    assert "&lt;script&gt;" in text
    assert "<script" not in text
