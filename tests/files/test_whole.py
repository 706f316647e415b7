import os
import stat
import threading
from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.files.whole import replacing, replacing_folder


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


def test_a_pipe_and_a_device_are_written_straight(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with replacing(pipe) as stream:
        stream.write("through")
    reader.join(10)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with replacing(Path("/dev/null")) as stream:
        stream.write("nowhere")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(InputError, match="No space left"), replacing(Path("/dev/full")) as stream:
        stream.write("x")


MARK = "MARK"


def write(folder: Path, text: str) -> None:
    with replacing_folder(folder, MARK) as new:
        (new / MARK).write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    write(tmp_path / "far" / "out", "first")
    with pytest.raises(ZeroDivisionError), replacing_folder(tmp_path / "far" / "out", MARK) as new:
        (new / MARK).write_text(str(1 // 0))
    assert (tmp_path / "far" / "out" / MARK).read_text() == "first"
    write(tmp_path / "far" / "out", "second")
    assert (tmp_path / "far" / "out" / MARK).read_text() == "second"
    assert names(tmp_path / "far") == ["out"]


def test_one_that_was_killed_between_two_folders_gives_the_earlier_one_back(tmp_path: Path) -> None:
    write(tmp_path / "out", "first")
    (tmp_path / ".out.part").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.earlier")
    with pytest.raises(ZeroDivisionError), replacing_folder(tmp_path / "out", MARK):
        _ = 1 // 0
    assert (tmp_path / "out" / MARK).read_text() == "first"
    assert names(tmp_path) == ["out"]
