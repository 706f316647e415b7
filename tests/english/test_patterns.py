"""Each row of a table reads its example, and reads it alone."""

from typing import get_args

from kbe_graph.english.patterns import TABLES, Texts, fragments, rewrite, rewrites, table, tidy
from kbe_graph.english.reading import Flag


def test_without_a_row_its_example_is_read_otherwise() -> None:
    for name in TABLES:
        read = TABLES[name][1]
        for row in table(name):
            assert row.outcome in read(table(name), Texts(row.example))
            assert not row.find(Texts(row.counter))
            assert row.outcome not in read([other for other in table(name) if other is not row], Texts(row.example))


def test_each_flag_of_the_table_can_be_asked_of_a_reading():
    assert {row.meaning for row in table("flags")} == {*get_args(Flag), "pair", "protected", "no apostrophe"}


def test_a_fragment_stands_for_its_row_and_for_a_list_of_words():
    assert "photograph" in fragments()["picture"]
    assert "hanging" in fragments()["noun"]


def test_a_rewrite_changes_its_example_alone():
    for step, rows in rewrites().items():
        for row in rows:
            assert rewrite(step, row.example) == row.outcome


def test_a_question_that_loses_in_this_picture_keeps_it_at_its_end():
    assert tidy("In this photo, who is winning?") == "who is winning in this image"
    assert tidy("In this photo, who is that in this game?") == "who is that in this game"
