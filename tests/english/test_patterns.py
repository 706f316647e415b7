"""Each row of a table reads its example, and reads it alone."""

import pytest

from kbe_graph.english.patterns import TABLES, Texts, rewrite, rewrites, table

LONG = (
    "which " + "a" * 500,
    "what " + "ab cd " * 100,
    "which kind of " + "x-" * 250,
    "name " * 100,
    "who's " + "1.0 " * 100,
)


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:9])
def test_no_pattern_tries_each_way_to_cut_a_long_question_into_words(text: str) -> None:
    patterns = [row.words for name in TABLES for row in table(name)]
    patterns += [row.words for rows in rewrites().values() for row in rows]
    assert len([pattern.search(text) for pattern in patterns]) > 100  # with one that does, it never ends


def test_without_a_row_its_example_is_read_otherwise() -> None:
    for name in TABLES:
        read = TABLES[name][1]
        for row in table(name):
            assert row.outcome in read(table(name), Texts(row.example))
            assert not row.find(Texts(row.counter))
            assert row.outcome not in read([other for other in table(name) if other is not row], Texts(row.example))


def test_a_rewrite_changes_its_example_alone():
    for step, rows in rewrites().items():
        for row in rows:
            assert rewrite(step, row.example) == row.outcome
