"""Folders appear whole or not at all, and what a writer left that was killed goes with the next."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import KBE, environment, kbe_here

from kbe_graph.errors import InputError
from kbe_graph.files.whole import replacing_folder, temporary_folder

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


def test_where_the_new_one_cannot_take_its_place_the_earlier_one_stays(tmp_path: Path) -> None:
    write(tmp_path / "out", "first")
    with pytest.raises(InputError, match="cannot write"), replacing_folder(tmp_path / "out", MARK) as new:
        shutil.rmtree(new)
    assert (tmp_path / "out" / MARK).read_text() == "first"
    assert names(tmp_path) == ["out"]


def test_what_nobody_writes_any_more_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    for token in ("0123abcd", "0123abce"):
        (tmp_path / f".out.{token}.part" / "out").mkdir(parents=True)
    (tmp_path / ".out.0123abcf.part").write_text("a file that was to be of this name")
    (tmp_path / ".outer.0123abcd.part").mkdir()
    os.mkfifo(tmp_path / ".out.01234567.part")
    busy = os.open(tmp_path / ".out.0123abce.part", os.O_RDONLY)
    try:
        fcntl.flock(busy, fcntl.LOCK_EX)
        write(tmp_path / "out", "x")
    finally:
        os.close(busy)
    assert names(tmp_path) == [".out.0123abce.part", ".outer.0123abcd.part", "out"]


def test_one_that_was_killed_between_two_folders_gives_the_earlier_one_back(tmp_path: Path) -> None:
    write(tmp_path / "out", "first")
    (tmp_path / ".out.0123abcd.part").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.0123abcd.part" / "out.earlier")
    with pytest.raises(ZeroDivisionError), replacing_folder(tmp_path / "out", MARK):
        _ = 1 // 0
    assert (tmp_path / "out" / MARK).read_text() == "first"
    assert names(tmp_path) == ["out"]


WRITER = """
import sys, time
from pathlib import Path
from kbe_graph.files.whole import replacing_folder, temporary_folder
with replacing_folder(Path(sys.argv[1]), "MARK") as new:
    (new / "half").write_text("half")
    print("begun", flush=True)
    time.sleep(60)
"""


def test_a_writer_that_is_alive_is_left_alone_and_one_that_was_killed_is_cleared_away(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "out")], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        write(tmp_path / "out", "first")
        assert len(names(tmp_path)) == 2
        writer.send_signal(signal.SIGKILL)
    write(tmp_path / "out", "second")
    assert names(tmp_path) == ["out"]


def test_the_export_after_one_that_was_killed_leaves_nothing_beside_it(demo_made: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    out = tmp_path / "release"
    with subprocess.Popen(
        [KBE, "-w", tmp_path / "W", "export", "all", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        while process.poll() is None and not [*tmp_path.glob(".release.*.part/release/*")]:
            time.sleep(0.005)
        process.kill()
    kbe_here("-w", tmp_path / "W", "export", "all", out)
    assert names(tmp_path) == ["W", "release"]


KILLED = """
import os, pathlib, signal, sys
from kbe_graph.files.whole import temporary_folder
with temporary_folder("kbe-desk", pathlib.Path(sys.argv[1])) as folder:
    (folder / "desk").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_temporary_folder_of_a_process_that_was_killed_goes_with_the_next(tmp_path: Path) -> None:
    with temporary_folder("kbe-desk", tmp_path) as first:
        subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=False)
        assert len(names(tmp_path)) == 2
        with temporary_folder("kbe-desk", tmp_path) as second:
            assert names(tmp_path) == sorted([first.name, second.name])
            assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o700}
    assert names(tmp_path) == []
