"""SQLite files tell what is wrong with them in one line."""

from contextlib import closing
from pathlib import Path

import pytest
from mounts import small_disk

from kbe_graph.errors import ResourceError
from kbe_graph.files.database import Database


def test_a_disk_that_is_full_is_told_as_rows_are_committed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "100k") as disk, closing(Database(disk / "rows.sqlite")) as database:
        database.execute("CREATE TABLE rows (content)")
        full = r"cannot use '.*rows\.sqlite' \(database or disk is full\); make room"
        with pytest.raises(ResourceError, match=full), database:
            database.executemany("INSERT INTO rows VALUES (?)", [("x" * 10_000,)] * 20)
