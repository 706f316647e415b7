import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from commands import KBE, environment, kbe_here

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


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"), replacing(tmp_path / "no" / "out.jsonl") as stream:
        stream.write("x")


def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("before")
    link = tmp_path / "link"
    link.symlink_to("target")
    with replacing(link) as stream:
        stream.write("after")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "after"


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


def test_standard_output_that_is_a_file_is_added_to(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\nfrom kbe_graph.files.whole import replacing\n"
        "with replacing(Path('/dev/stdout')) as stream: stream.write('second\\n')\nprint('third')"
    )
    with (tmp_path / "out").open("w") as stream:
        stream.write("first\n")
        stream.flush()
        subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
    assert (tmp_path / "out").read_text() == "first\nsecond\nthird\n"


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("")
    old.chmod(0o604)
    before = os.umask(0o077)
    try:
        for name in ("new", "old"):
            with replacing(tmp_path / name) as stream:
                stream.write("x")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "old")] == [0o600, 0o604]


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


def test_one_that_was_killed_between_two_folders_gives_the_earlier_one_back(tmp_path: Path) -> None:
    write(tmp_path / "out", "first")
    (tmp_path / ".out.part").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.earlier")
    with pytest.raises(ZeroDivisionError), replacing_folder(tmp_path / "out", MARK):
        _ = 1 // 0
    assert (tmp_path / "out" / MARK).read_text() == "first"
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
        while process.poll() is None and not [*tmp_path.glob(".release.part/release/*")]:
            time.sleep(0.005)
        process.kill()
    kbe_here("-w", tmp_path / "W", "export", "all", out)
    assert names(tmp_path) == ["W", "release"]
