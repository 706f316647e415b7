"""SQLite files tell what is wrong with them in one line."""

from contextlib import closing
from pathlib import Path

import pytest
from mounts import small_disk

from kbe_graph.errors import ResourceError
from kbe_graph.files.database import Database


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "rows.sqlite")) as database:
        with database:
            database.executescript("CREATE TABLE rows (number)")
            database.executemany("INSERT INTO rows VALUES (?)", [(1,), (2,)])
        rows = database.execute("SELECT number FROM rows ORDER BY number")
        assert (rows.fetchone(), [*rows]) == ((1,), [(2,)])


def test_a_disk_that_is_full_is_told_as_rows_are_committed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "100k") as disk, closing(Database(disk / "rows.sqlite")) as database:
        database.execute("CREATE TABLE rows (content)")
        full = r"cannot use '.*rows\.sqlite' \(database or disk is full\); make room"
        with pytest.raises(ResourceError, match=full), database:
            database.executemany("INSERT INTO rows VALUES (?)", [("x" * 10_000,)] * 20)


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "rows.sqlite").write_text("no data base" * 100)
    with (
        closing(Database(tmp_path / "rows.sqlite")) as database,
        pytest.raises(ResourceError, match=r"file is not a database.*move it away"),
    ):
        database.execute("SELECT 1 FROM sqlite_master")
    with pytest.raises(ResourceError, match="No such file or directory"):
        Database(tmp_path / "nowhere" / "rows.sqlite")


def test_one_that_is_damaged_is_told_where_its_rows_are_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.sqlite"
    with closing(Database(file)) as database, database:
        database.execute("CREATE TABLE rows (content)")
        database.executemany("INSERT INTO rows VALUES (?)", [(f"{number}" * 1000,) for number in range(200)])
    content = bytearray(file.read_bytes())
    content[40_000:60_000] = b"\x07" * 20_000
    file.write_bytes(content)
    with closing(Database(file)) as database, pytest.raises(ResourceError, match=r"damaged; .*move it away"):
        database.execute("SELECT content FROM rows").fetchall()
