"""A call store of its own for each test of the models."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbe_graph.models import CallStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CallStore]:
    store = CallStore(tmp_path / "calls.sqlite")
    yield store
    store.close()
