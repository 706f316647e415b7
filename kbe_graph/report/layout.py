"""Terminal layout of text and tables, wrapped by display width and never truncated."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

LineStyle = Literal["sample", "picture", "question", "answer", "fact", "path", "reason", "heading", "name", "text"]
Cells = Sequence[str]

GAP = 2
LEAST = 28  # columns that a wrapped cell needs; with fewer, rows become records
MOST = 4  # lines of a wrapped cell, at most
NO_BREAK = "\N{NO-BREAK SPACE}"
_BLANKS = str.maketrans("\t\n\r\f\v", "     ")
_WORD = re.compile("( *)([^ ]+)")
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?( ?%)?")


class Line(NamedTuple):
    """A line, or a part of one, with its style on a terminal."""

    style: LineStyle
    text: str


def cell_len(text: str) -> int:
    """Return the width of a text on a terminal, in columns."""
    if text.isascii():
        return len(text)
    from rich import cells  # not needed to open a workspace

    return cells.cell_len(text)


def wrap(text: str, width: int, *, head: str = "", hang: int = 0) -> list[str]:
    """Wrap a text to ``width`` columns, with ``head`` before the first line and ``hang`` spaces before the others.

    A word wider than a line is broken, preferably after a character such as a slash.

    >>> wrap("Which river is it?", 12, head="hop 1  ", hang=2)
    ['hop 1  Which', '  river is', '  it?']
    """
    lines, line, room = [], head, width - cell_len(head)
    is_bare = True
    for blanks, word in _WORD.findall(text.translate(_BLANKS)):
        gap = "" if is_bare else blanks
        if cell_len(gap) + cell_len(word) > room and not (is_bare and line == " " * hang):
            lines.append(line)
            line, gap, room = " " * hang, "", width - hang
        first, *others = _pieces(word, max(room - cell_len(gap), 1))
        line += gap + first
        for piece in others:
            lines.append(line)
            line = " " * hang + piece
        room, is_bare = width - cell_len(line), False
    return [ready.replace(NO_BREAK, " ").rstrip() for ready in (*lines, line) if ready.strip()] or [""]


def _pieces(word: str, width: int) -> Iterator[str]:
    """Split a word into pieces that each fit a line."""
    while cell_len(word) > width:
        most = _fitting(word, width)
        signs = [place for place, sign in enumerate(word[:most], 1) if not sign.isalnum()]
        end = signs[-1] if signs and signs[-1] * 2 > most else most
        yield word[:end].rstrip(NO_BREAK)
        word = word[end:]
    yield word


def _fitting(word: str, width: int) -> int:
    """Return the number of characters of a word that fit ``width``, at least one."""
    taken = 0
    for place, letter in enumerate(word):
        taken += cell_len(letter)
        if taken > width:
            return max(place, 1)
    return len(word)


def table(columns: Cells, rows: Sequence[Cells], width: int) -> Iterator[Sequence[Line]]:
    """Yield the lines of a table in styled parts: as columns if these fit, otherwise as one record per row.

    To make columns fit, headings are wrapped first, then the widest column if enough space is left for it.
    """
    widths = _widths(columns, rows, width)
    yield from _grid(columns, rows, widths) if widths else _records(columns, rows, width)


def _widths(columns: Cells, rows: Sequence[Cells], width: int) -> list[int]:
    """Return the widths of the columns, empty if they do not fit side by side."""
    cells = [max((cell_len(row[place]) for row in rows), default=0) for place in range(len(columns))]
    gaps = GAP * (len(columns) - 1)
    whole = [max(cell, cell_len(name)) for cell, name in zip(cells, columns, strict=True)]
    if sum(whole) + gaps <= width:
        return whole
    folded = [max(cell, *map(cell_len, name.split()), 1) for cell, name in zip(cells, columns, strict=True)]
    if sum(folded) + gaps <= width:
        return folded
    widest = max(range(len(columns)), key=lambda place: folded[place])
    folded[widest] += width - sum(folded) - gaps
    heights = (len(wrap(row[widest], max(folded[widest], 1))) for row in rows)
    is_told = len(columns) == 1 or (folded[widest] >= LEAST and max(heights, default=0) <= MOST)
    return folded if is_told else []


def _grid(columns: Cells, rows: Sequence[Cells], widths: Sequence[int]) -> Iterator[Sequence[Line]]:
    numeric = [_is_numeric([row[place] for row in rows]) for place in range(len(columns))]
    styles = [_column_style(name) for name in columns]
    headings: list[LineStyle] = ["heading"] * len(columns)
    names = [wrap(name, most) for name, most in zip(columns, widths, strict=True)]
    yield from _stack(names, widths, numeric, headings)
    yield [Line("heading", (" " * GAP).join("-" * most for most in widths))]
    for row in rows:
        cells = [wrap(cell, most) for cell, most in zip(row, widths, strict=True)]
        yield from _stack(cells, widths, numeric, styles)


def _stack(
    cells: Sequence[list[str]], widths: Sequence[int], numeric: Sequence[bool], styles: Sequence[LineStyle]
) -> Iterator[Sequence[Line]]:
    """Yield the lines of cells placed side by side; headings are aligned at the bottom."""
    height = max(map(len, cells))
    for number in range(height):
        parts = []
        for place, lines in enumerate(cells):
            own = number - (height - len(lines) if styles[place] == "heading" else 0)
            text = lines[own] if 0 <= own < len(lines) else ""
            blanks = " " * (widths[place] - cell_len(text))
            cell = blanks + text if numeric[place] else text + blanks
            is_last = place == len(cells) - 1
            parts.append(Line(styles[place], cell.rstrip() if is_last else cell + " " * GAP))
        yield parts


def _is_numeric(cells: Iterable[str]) -> bool:
    values = [cell for cell in cells if cell]
    return bool(values) and all(map(_NUMBER.fullmatch, values))


def _records(columns: Cells, rows: Sequence[Cells], width: int) -> Iterator[Sequence[Line]]:
    """Yield each row as lines of name and value, followed by an empty line; empty values are omitted."""
    names = max(map(cell_len, columns)) + GAP
    is_below = names * 2 > width
    for row in rows:
        for name, cell in zip(columns, row, strict=True):
            if not cell:
                continue
            style = _column_style(name)
            first, *others = wrap(cell, width - (GAP if is_below else names))
            if is_below:
                yield [Line("name", name)]
                yield from ([Line(style, " " * GAP + line)] for line in (first, *others))
                continue
            yield [Line("name", name + " " * (names - cell_len(name))), Line(style, first)]
            yield from ([Line("text", " " * names), Line(style, line)] for line in others)
        yield []


def _column_style(column: str) -> LineStyle:
    """Return the style of a column by its name, such as q.text."""
    names: dict[str, LineStyle] = {"question": "question", "text": "question", "answer": "answer"}
    return names.get(column.rpartition(".")[2], "text")
