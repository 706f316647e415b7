"""The archive of the engine's classes: made once in the background, used from then on, never in the way."""

import os
import time
from pathlib import Path

import pytest

from kbe_graph.store.class_archive import DAY, MOST, ClassArchive, clear, engine_archive
from kbe_graph.store.embedded import on_demand
from kbe_graph.store.engine_files import running


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClassArchive:
    """The archive of the installed engine, in a cache folder that is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    archive = engine_archive()
    assert archive is not None
    return archive


def uses(archive: ClassArchive, folder: Path) -> bool:
    """Start an engine, and return whether it has the archive in its memory."""
    with on_demand(folder):
        record = running(folder)
        assert record is not None
        return str(archive.file) in Path(f"/proc/{record.pid}/maps").read_text()


def made(archive: ClassArchive) -> bool:
    """Whether the archive is there within some minutes, and nothing beside it."""
    end = time.monotonic() + 240
    while list(archive.file.parent.iterdir()) != [archive.file] and time.monotonic() < end:
        time.sleep(0.1)
    return archive.is_usable


def test_the_first_engine_leaves_an_archive_that_the_next_one_uses_unless_it_is_spoiled(
    archive: ClassArchive, tmp_path: Path
) -> None:
    assert not uses(archive, tmp_path / "one")
    assert made(archive)
    assert uses(archive, tmp_path / "two")
    os.truncate(archive.file, 100_000)
    uses(archive, tmp_path / "two")
    archive.file.write_bytes(b"nothing of Java's")
    assert not uses(archive, tmp_path / "two")


def test_an_engine_starts_where_no_archive_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    archive = engine_archive()
    assert archive is not None
    assert archive.options() == []
    assert not uses(archive, tmp_path)


def test_a_folder_that_java_would_take_for_two_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/a:/b")
    assert engine_archive() is None


def test_classes_are_noted_only_while_nobody_makes_the_archive_or_failed_to_today(archive: ClassArchive) -> None:
    noted = [f"-XX:DumpLoadedClassList={archive.classes}"]
    assert archive.options() == noted
    archive.mark.touch()
    assert archive.options() == []
    for other in (-DAY - 1, DAY + 1):  # the clock may have been set back since
        archive.mark.touch()
        os.utime(archive.mark, (0, time.time() + other))
        assert archive.options() == noted
        assert not archive.mark.exists()


def test_two_engines_that_end_at_once_make_one_archive(archive: ClassArchive) -> None:
    archive.options()
    archive.classes.touch()
    archive.mark.touch()  # of the other one
    archive.make("", [])
    assert [file.name for file in archive.file.parent.iterdir()] == [archive.mark.name]


def test_an_archive_that_cannot_be_made_is_left_for_a_day(archive: ClassArchive) -> None:
    archive.options()
    archive.classes.touch()
    ClassArchive(archive.file, Path("/bin/false")).make("", [])
    end = time.monotonic() + 60
    while archive.classes.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert archive.options() == []
    assert [file.name for file in archive.file.parent.iterdir()] == [archive.mark.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_an_archive_of_somebody_else_is_not_used(archive: ClassArchive) -> None:
    archive.file.parent.mkdir(parents=True)
    archive.file.touch()
    assert archive.is_usable
    os.chown(archive.file, 12_345, -1)
    assert not archive.is_usable


def test_the_archives_used_last_are_kept_and_old_notes_are_removed(tmp_path: Path) -> None:
    for age in range(MOST + 2):
        file = tmp_path / f"engine-{age}.jsa"
        file.touch()
        os.utime(file, (0, time.time() - age))
    for name, age in (
        ("engine-0.1.classes", DAY + 1),
        ("engine-0.2.classes", 1),
        ("engine-0.3.classes", -DAY - 1),
        ("other.txt", DAY + 1),
    ):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, time.time() - age))
    clear(tmp_path)
    kept = [f"engine-{age}.jsa" for age in range(MOST)]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([*kept, "engine-0.2.classes", "other.txt"])
