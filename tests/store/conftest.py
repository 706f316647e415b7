"""A graph to look at, on each engine in turn."""

import pytest
from specimens import family, load

from kbe_graph.store import Store


@pytest.fixture
def full(store: Store) -> Store:
    """A graph with samples, a run and questions."""
    load(store)
    store.save_questions([family()])
    return store
