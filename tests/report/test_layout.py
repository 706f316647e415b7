"""Text and tables fit the terminal: wrapped between words, by the columns that letters take, and never cut."""

import random

import pytest
from rich.cells import cell_len

from kbe_graph.report.layout import table, wrap

COLUMNS = ("id", "edges", "the answer words")
ROWS = [("a/1", "5", "North Sea"), ("b/22", "14", "Rome")]


def lines_of(columns: tuple[str, ...], rows: list[tuple[str, ...]], width: int) -> list[str]:
    return ["".join(part.text for part in parts) for parts in table(columns, rows, width)]


def test_a_table_that_fits_has_columns_with_numbers_at_the_right() -> None:
    assert lines_of(COLUMNS, ROWS, 40) == [
        "id    edges  the answer words",
        "----  -----  ----------------",
        "a/1       5  North Sea",
        "b/22     14  Rome",
    ]


def test_headings_are_wrapped_before_the_table_is_given_up() -> None:
    assert lines_of(COLUMNS, ROWS, 24) == [
        "             the",
        "             answer",
        "id    edges  words",
        "----  -----  ---------",
        "a/1       5  North Sea",
        "b/22     14  Rome",
    ]


def test_the_widest_column_is_wrapped_where_there_is_room_for_it() -> None:
    rows = [("a", "which river is the longest of the continent that holds the country")]
    assert lines_of(("id", "question"), rows, 44) == [
        "id  question",
        f"--  {'-' * 40}",
        "a   which river is the longest of the",
        "    continent that holds the country",
    ]


def test_a_table_that_does_not_fit_is_a_record_a_row() -> None:
    rows = [("a/1", "5", "the body of water at the mouth of the river"), ("b/2", "", "Rome")]
    assert lines_of(("id", "edges", "answer"), rows, 24) == [
        "id      a/1",
        "edges   5",
        "answer  the body of",
        "        water at the",
        "        mouth of the",
        "        river",
        "",
        "id      b/2",
        "answer  Rome",
        "",
    ]


def test_a_value_stands_below_a_name_that_takes_half_the_line() -> None:
    rows = [("5", "the mouth of the river " * 3)]
    assert lines_of(("relations of it", "n"), rows, 20)[:3] == ["relations of it", "  5", "n"]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_every_line_fits_and_every_letter_is_there(width: int) -> None:
    draw = random.Random(width)
    for _ in range(300):
        words = ["".join(draw.choices("ab/-日語é", k=draw.randint(1, 50))) for _ in range(draw.randint(0, 12))]
        lines = wrap(" ".join(words), width, head="  hop 1  ", hang=draw.choice([0, 4, 11]))
        assert max(map(cell_len, lines)) <= width
        assert "".join("".join(lines).split()).removeprefix("hop1") == "".join(words)


def test_words_are_not_broken_that_fit_a_line() -> None:
    assert wrap("see /a/folder/of/pictures/1.jpg now", 20, head="  at  ", hang=2) == [
        "  at  see",
        "  /a/folder/of/",
        "  pictures/1.jpg now",
    ]
