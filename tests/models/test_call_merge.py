"""Calls of another workspace are taken in once, and a reply that is there stays."""

from pathlib import Path

import pytest

from kbe_graph.errors import ResourceError
from kbe_graph.models.call_store import CallStore, SqlWrite, merge_calls

CALL = "INSERT INTO calls (key, step, model, url, status, raw, at) VALUES (?, 'hop', 'm', 'u', ?, ?, 1)"
FAILURE = "INSERT INTO failures (key, step, model, kind, said, at) VALUES (?, 'hop', 'm', 'cut', '', ?)"


def store(file: Path, *rows: SqlWrite) -> CallStore:
    calls = CallStore(file)
    calls.write(rows)
    return calls


def test_what_is_there_stays_and_what_is_not_comes(tmp_path: Path) -> None:
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    ours = store(here, SqlWrite(CALL, ("a", "done", b"ours")), SqlWrite(CALL, ("b", "asking", None)))
    rows = [SqlWrite(CALL, (key, status, b"theirs")) for key, status in (("a", "done"), ("b", "done"), ("c", "asking"))]
    store(there, *rows, SqlWrite(FAILURE, ("d", 1.5)), SqlWrite(FAILURE, ("d", 2.5))).close()
    assert merge_calls(here, there) == 1
    assert merge_calls(here, there) == 0
    kept = {key: ours.get(key) for key in "abc"}
    assert (kept["a"].raw, kept["b"].raw, kept["c"]) == (b"ours", b"theirs", None)
    assert ours.failures("d") == 2
    ours.close()


def test_a_file_that_is_no_call_store_is_told(tmp_path: Path) -> None:
    store(tmp_path / "here.sqlite").close()
    (tmp_path / "there.sqlite").write_text("no data base" * 100)
    with pytest.raises(ResourceError, match=r"cannot import the calls of '.*there\.sqlite'"):
        merge_calls(tmp_path / "here.sqlite", tmp_path / "there.sqlite")
