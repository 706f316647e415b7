"""Whole runs against endpoints that are bad in some of the ways that bench/bad_endpoints.py acts."""

from collections.abc import Iterator

import pytest
from benches import bench

bench("scripted")
bad_endpoints = bench("bad_endpoints")
KINDS = (  # the bench acts all of them
    "429 with Retry-After as a date, 20 %",
    "quota used up",
    "a page at 200, 20 %",
    "body nested 5,000 deep, the same requests",
    "refusal in words, 30 %",
    "filter as 403, 30 %",
    "403 without a word, some requests",
    "a stream that nobody asked for",
    "a stream that breaks off, 20 %",
    "400 without stream",
    "400, always",
    "a field, a broken item and items too many",
    "the question names the old answer",
    "the question names the new answer",
    "JSON in single quotes",
)


@pytest.fixture(scope="module")
def field() -> Iterator["bad_endpoints.Field"]:
    with bad_endpoints.fields(4, 1) as place:
        row = place.row(bad_endpoints.GOOD, lambda _: None)
        assert (row.extract, row.is_good) == ("4 of 4", True)
        yield place


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_ends_well_or_with_a_true_sentence_and_the_same_commands_heal_it(
    field: "bad_endpoints.Field", kind: str
) -> None:
    row = field.row(kind, bad_endpoints.KINDS[kind])
    assert row.is_good, row


def test_a_row_that_does_not_do_what_it_is_called_is_not_good(field: "bad_endpoints.Field") -> None:
    assert not field.row("refusal, always", lambda _: None).is_good
    assert not field.row("refusal, always", bad_endpoints.KINDS["400, always"]).is_good
    marks = bad_endpoints.leaking(lambda _: "<<<violin>>>")
    assert not field.row(bad_endpoints.NAMES_OLD, marks).is_good
