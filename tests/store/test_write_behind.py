"""What was made is written in a thread while the next is made, one after the other."""

import threading

import pytest

from kbe_graph.errors import StoreError
from kbe_graph.store.connection import saving_behind

PATIENCE = 20  # seconds


def test_the_next_is_made_while_one_is_written() -> None:
    made, written = threading.Event(), []

    def save(name: str) -> None:
        assert made.wait(PATIENCE)
        written.append(name)

    with saving_behind(save) as save_next:
        save_next("first")
        assert written == []
        made.set()
        save_next("second")
        assert written[:1] == ["first"]
    assert written == ["first", "second"]


def test_what_a_save_raises_is_raised_at_the_next_which_is_not_written() -> None:
    written = []

    def save(name: str) -> None:
        if name == "second":
            raise StoreError("the disk is full")
        written.append(name)

    def save_all() -> None:
        with saving_behind(save) as save_next:
            for name in ("first", "second", "third"):
                save_next(name)

    with pytest.raises(StoreError, match="disk is full"):
        save_all()
    assert written == ["first"]


def test_what_the_last_save_raises_is_raised_at_the_end() -> None:
    def save() -> None:
        raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="disk is full"), saving_behind(save) as save_next:
        save_next()
