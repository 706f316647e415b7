"""A folder of shards, and a pattern, are read as one file; what is no one set is refused."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import DatasetError
from kbe_graph.files.records import data_files, set_name

ROWS = [{"question": f"What is number {number}?", "answer": f"thing {number}"} for number in range(6)]


def write_shards(folder: Path, name: str, count: int = 3, ending: str = ".jsonl") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        file = folder / f"{name}-{number:05}-of-{count:05}{ending}"
        rows = ROWS[number * 2 : number * 2 + 2]
        if ending == ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), file)
        else:
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def answers(place: Path) -> Sequence[str]:
    return [sample.answer for sample in read_benchmark(place, benchmark="b").samples]


def test_shards_of_a_folder_or_a_pattern_are_one_set_in_order(tmp_path: Path) -> None:
    for ending in [".jsonl", ".parquet"]:
        write_shards(tmp_path / "data", "train", ending=ending)
        (tmp_path / "README.md").write_text("a card")
        everything = [row["answer"] for row in ROWS]
        for place in (tmp_path, tmp_path / "data", tmp_path / "data" / f"train-*{ending}"):
            assert answers(place) == everything, place
        assert answers(tmp_path / "data" / f"*-0000[02]-*{ending}") == everything[:2] + everything[4:], ending


def test_splits_side_by_side_are_refused_and_one_is_taken_by_its_pattern(tmp_path: Path) -> None:
    write_shards(tmp_path, "train")
    write_shards(tmp_path, "validation", 1)
    assert set_name(data_files(tmp_path / "train*.jsonl")) == "train"
    with pytest.raises(
        DatasetError,
        match=r"several data sets, 'train\*.jsonl', 'validation-\S+.jsonl'; name one, such as '.*train\*.jsonl'",
    ):
        answers(tmp_path)
    assert len(answers(tmp_path / "validation*.jsonl")) == 2


def test_a_set_of_another_kind_beside_one_is_refused_but_not_what_asks_nothing(tmp_path: Path) -> None:
    write_shards(tmp_path, "train")
    (tmp_path / "captions.csv").write_text("image,caption\na.jpg,a dog\n")
    (tmp_path / "meta.json").write_text("{")
    assert len(answers(tmp_path)) == 6
    (tmp_path / "mine.csv").write_text("question,answer\nWhat is it?,a dog\n")
    with pytest.raises(DatasetError, match=r"several data sets, 'train\*.jsonl', 'mine.csv'; name one"):
        answers(tmp_path)
