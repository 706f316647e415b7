"""Rows go to the graph in messages that the embedded engine takes, however large the rows are."""

from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.types import Sample


def sample(number: int, text: str) -> Sample:
    return Sample(f"large/x/{number:03}", "large", "x", text, "because")


def test_many_long_samples_are_saved_and_come_back_from_a_backup(embedded_store: Store, tmp_path: Path) -> None:
    samples = [sample(number, " ".join(map(str, range(number, 150_000)))) for number in range(20)]
    embedded_store.save_samples(samples)
    assert embedded_store.backup(tmp_path / "graph.kbe").nodes == 20
    embedded_store.restore(tmp_path / "graph.kbe", replace=True)
    assert samples == embedded_store.samples()
    with pytest.raises(InputError, match=r"'large/x/999' has 20\.0 MiB, and the limit is"):
        embedded_store.save_samples([sample(998, "Why?"), sample(999, "a" * (20 << 20))])
    assert samples == embedded_store.samples()
