"""Text and tables fit the terminal, are never cut, and hold no orders to it."""

import random

from rich.cells import cell_len

from kbe_graph.show.terminal import Line, rendered, table


def test_a_table_has_numbers_at_the_right_and_wraps_long_cells() -> None:
    rows = [("a/1", "5", "North Sea"), ("b/22", "14", "Rome")]
    head, _, *lines = table(("id", "edges", "answer words"), rows, width=40).splitlines()
    assert [head.split(), *map(str.split, lines)] == [
        ["id", "edges", "answer", "words"],
        ["a/1", "5", "North", "Sea"],
        ["b/22", "14", "Rome"],
    ]
    assert lines[0].index("5") == lines[1].index("4")
    long = table(("id", "question"), [("a", "which river is the longest of the continent")], width=30)
    assert " ".join(long.split()).endswith("a which river is the longest of the continent")
    assert max(map(len, long.splitlines())) <= 30


def test_every_line_fits_and_every_letter_is_there() -> None:
    for width in [20, 40, 120]:
        draw = random.Random(width)
        for _ in range(30):
            words = ["".join(draw.choices("ab/-日語é", k=draw.randint(1, 50))) for _ in range(draw.randint(0, 12))]
            text = rendered([Line("text", " ".join(words), ("hop 1",))], width=width)
            assert max(map(cell_len, text.splitlines())) <= width, width
            assert "".join(text.split()).removeprefix("hop1") == "".join(words), width


def test_colours_are_written_and_control_characters_and_markup_are_not() -> None:
    lines = [Line("question", "\x1b[31mred [bold]?", ("q",))]
    assert "\x1b" not in rendered(lines, width=60)
    assert "[bold]?" in rendered(lines, width=60)
    assert "\x1b[1m" in rendered(lines, width=60, colours=True)
