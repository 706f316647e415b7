"""Rows go to the graph in messages that the embedded engine takes, however large the rows are."""

import json
from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.message_size import MOST, PART, parts, refuse_unfit, size
from kbe_graph.types import Sample


def sample(number: int, text: str) -> Sample:
    return Sample(f"large/x/{number:03}", "large", "x", text, "because")


def test_the_size_of_a_value_is_at_least_what_it_takes() -> None:
    assert size("giraffe") >= 8
    assert size("größe") >= 8
    assert size({"id": "x", "answers": ["a", "b"], "hop": 1, "noun": True, "reason": None}) >= 40
    assert size("half \ud800") > 8


def test_rows_are_parted_by_their_bytes() -> None:
    rows = [{"id": str(number), "text": "é" * (PART // 6)} for number in range(5)]
    assert [len(part) for part in parts(rows)] == [2, 2, 1]
    assert list(parts([])) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1 << 63, "64 bits"),
        ([{"a": -(1 << 63) - 1}], "64 bits"),
        pytest.param(1 << 20_000, "64 bits", id="huge"),
        ("half \ud800", r"half a character .*, as in 'half \\ud800'"),
        ({"\udcff": 1}, "half a character"),
        (json.loads("[" * 500 + "]" * 500), "nested deeper than 100"),
    ],
)
def test_what_no_message_holds_is_refused(value: object, words: str) -> None:
    refuse_unfit([(1 << 63) - 1, -(1 << 63), "größe 😀", {"a": [None, True, 0.5, b"x"]}])
    with pytest.raises(InputError, match=words):
        refuse_unfit([value])


def test_a_row_that_fits_no_message_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"'x/y/1' has 15\.0 MiB, and the limit of a request is 15 MiB; shorten it"):
        list(parts([{"id": "x/y/1", "text": "a" * MOST}]))


def test_many_long_samples_are_saved_and_come_back_from_a_backup(embedded_store: Store, tmp_path: Path) -> None:
    samples = [sample(number, "Why? " * 7_200) for number in range(600)]
    embedded_store.save_samples(samples)
    assert embedded_store.backup(tmp_path / "graph.kbe").nodes == 600
    embedded_store.restore(tmp_path / "graph.kbe", replace=True)
    assert samples == embedded_store.samples()
    with pytest.raises(InputError, match=r"'large/x/999' has 20\.0 MiB, and the limit of a request is"):
        embedded_store.save_samples([sample(998, "Why?"), sample(999, "a" * (20 << 20))])
    assert samples == embedded_store.samples()


def test_what_is_asked_at_once_is_bounded(embedded_store: Store) -> None:
    with pytest.raises(InputError, match=r"a request to the graph has 16\.\d MiB, .*; ask for less"):
        embedded_store.connection.read("samples_by_id", ids=["a" * (1 << 20)] * 16)


def test_a_query_of_a_user_is_bounded_too(embedded_store: Store) -> None:
    words = r"a request to the graph has 16\.\d MiB, .*; ask for less"
    with pytest.raises(InputError, match=words):
        embedded_store.query_text("RETURN size($text) AS n", {"text": "a" * (16 << 20)}, limit=1, timeout=5)
    with pytest.raises(InputError, match=words):
        embedded_store.query("samples_about", {"entity": "a" * (16 << 20)}, timeout=5)
    with pytest.raises(InputError, match=words):
        embedded_store.query_text(f"RETURN {'a' * (16 << 20)!r} AS n", {}, limit=1, timeout=5)
