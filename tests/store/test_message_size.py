"""Rows go to the graph in messages that the embedded engine takes, however large the rows are."""

from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.types import Sample


def sample(number: int, text: str) -> Sample:
    return Sample(f"large/x/{number:03}", "large", "x", text, "because")


def test_many_long_samples_are_saved_and_come_back_from_a_backup(embedded_store: Store, tmp_path: Path) -> None:
    samples = [sample(number, "Why? " * 7_200) for number in range(600)]
    embedded_store.save_samples(samples)
    assert embedded_store.backup(tmp_path / "graph.kbe").nodes == 600
    embedded_store.restore(tmp_path / "graph.kbe", replace=True)
    assert samples == embedded_store.samples()
    with pytest.raises(InputError, match=r"'large/x/999' has 20\.0 MiB, and the limit is"):
        embedded_store.save_samples([sample(998, "Why?"), sample(999, "a" * (20 << 20))])
    assert samples == embedded_store.samples()


def test_what_no_message_holds_is_refused(embedded_store: Store) -> None:
    with pytest.raises(InputError, match=r"a request to the graph has 16\.\d MiB, .*; give less at once"):
        embedded_store.connection.read("samples_by_id", ids=["a" * (1 << 20)] * 16)
    for value in ("a" * (16 << 20), 1 << 63, "half \ud800", {"\udcff": 1}):
        with pytest.raises(InputError, match=r"the query has 16\.\d MiB|cannot be sent .*; give it as text"):
            embedded_store.query_text("RETURN $value AS n", {"value": value}, limit=1, timeout=5)
