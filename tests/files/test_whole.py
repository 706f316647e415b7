from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.files.whole import replacing


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("before")
    with pytest.raises(TypeError), replacing(file) as stream:
        stream.writelines(["half", 3])  # type: ignore[list-item]
    assert file.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["out.jsonl"]
    with replacing(file) as stream:
        stream.write("after")
    assert file.read_text() == "after"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"), replacing(tmp_path / "no" / "out.jsonl") as stream:
        stream.write("x")
