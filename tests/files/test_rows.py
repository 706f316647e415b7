import gzip
import json

import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.files.records import read_rows


def test_a_table_is_read_whatever_its_form(tmp_path):
    for name, text in [
        ("rows.tsv", "question\tanswer\nWhat is it?\tcat\n"),
        ("rows.csv", 'answer,question\ncat,"What is it?"\n'),
        ("rows.jsonl", json.dumps({"question": "What is it?", "answer": "cat"}) + "\n"),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (row,) = read_rows(tmp_path / name, ("question", "answer"))
        assert (row.text("question"), row.text("answer")) == ("What is it?", "cat"), (name, text)


def test_a_gzipped_table_is_read(tmp_path):
    with gzip.open(tmp_path / "rows.tsv.gz", "wt", encoding="utf-8") as stream:
        stream.write("question\tanswer\nWhat is it?\tcat\n")
    assert [row.text("answer") for row in read_rows(tmp_path / "rows.tsv.gz", ("question",))] == ["cat"]


def test_a_missing_column_is_named_with_those_there_are(tmp_path):
    (tmp_path / "rows.tsv").write_text("question\tgold\nWhat is it?\tcat\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"rows.tsv line 1: no 'answer' column; found 'question', 'gold'"):
        list(read_rows(tmp_path / "rows.tsv", ("question", "answer")))


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(DatasetError, match="no such file"):
        list(read_rows(tmp_path / "rows.tsv", ("question",)))
