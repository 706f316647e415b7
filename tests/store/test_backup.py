"""A whole graph in one file, from any engine to any other."""

import gzip
import json
from pathlib import Path

import pytest
from specimens import dump, load

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.backup import empty
from kbe_graph.store.statements import VERSION
from kbe_graph.types import Sample


def test_a_backup_of_the_embedded_engine_restores_on_every_other(
    full: Store, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    once = dump(full)
    full.backup(tmp_path / "graph.kbe")
    other: Store = request.getfixturevalue("embedded_store")
    other.restore(tmp_path / "graph.kbe")
    assert once == dump(other)
    other.backup(tmp_path / "again.kbe")
    assert (tmp_path / "again.kbe").read_bytes() == (tmp_path / "graph.kbe").read_bytes()
    full.restore(tmp_path / "again.kbe", replace=True)
    assert once == dump(full)


def test_equal_graphs_are_equal_files_in_whatever_order_they_were_made(store: Store, tmp_path: Path) -> None:
    samples = [Sample(f"many/x/{number:05}", "many", "x", f"Why {number}?", "because") for number in range(50)]
    files = [tmp_path / "one.kbe", tmp_path / "two.kbe"]
    for file, order in zip(files, (samples, [*samples[30:], *reversed(samples[:30])]), strict=True):
        load(store)
        store.save_samples(order)
        store.backup(file)
        empty(store.connection)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_file_that_is_cut_or_changed_leaves_the_graph_as_it_was(full: Store, tmp_path: Path) -> None:
    good = tmp_path / "graph.kbe"
    full.backup(good)
    once, packed, lines = dump(full), good.read_bytes(), gzip.decompress(good.read_bytes()).splitlines(keepends=True)
    whole = b"".join(lines)
    wrong = {
        "cut": packed[:-100],
        "cut to the head": packed[:30],
        "a byte changed": packed[:200] + bytes([packed[200] ^ 255]) + packed[201:],
        "no end": gzip.compress(b"".join(lines[:-1])),
        "a line lost": gzip.compress(b"".join(lines[:3] + lines[4:])),
        "a value changed": gzip.compress(whole.replace(b"GIRAFFE", b"GORILLA")),
        "a line broken": gzip.compress(b"".join(lines[:3]) + lines[3][:5]),
        "not packed": whole,
        "empty": b"",
        "another file": gzip.compress(b'{"id": 1}\n'),
    }
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=r"an incomplete backup|not a backup of kbe"):
            full.restore(tmp_path / name, replace=True)
        assert once == dump(full)
    with pytest.raises(InputError, match=r"no file .*; give a file that `backup` wrote"):
        full.restore(tmp_path / "nothing")


def test_a_backup_of_a_newer_program_is_refused(full: Store, tmp_path: Path) -> None:
    full.backup(tmp_path / "graph.kbe")
    lines = gzip.decompress((tmp_path / "graph.kbe").read_bytes()).splitlines(keepends=True)
    head = json.loads(lines[0]) | {"schema": 99}
    newer = gzip.compress(b"".join([json.dumps(head).encode() + b"\n", *lines[1:]]))
    (tmp_path / "newer.kbe").write_bytes(newer)
    with pytest.raises(InputError, match=f"schema version 99, this program knows {VERSION}; use a newer kbe-graph"):
        full.restore(tmp_path / "newer.kbe", replace=True)
