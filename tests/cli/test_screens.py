"""What people see: on a phone, in a window and on a wide screen nothing is cut, and no line is too wide."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import quick_kbe
from commands import kbe_here, shown_on_terminal, terminal_lines
from rich.cells import cell_len

pytestmark = pytest.mark.long
SCREENS = {
    "status": "demo-0",
    "stats": "explored",
    "guess": "the most similar words",
    "show demo/demo/183709-country": "WordNet",
    "facts giraffe": "Giraffidae",
    "query longest_chains": "Tyrrhenian Sea",
    "query": "longest_chains",
    "query --cypher {wide}": "9",
    "calls": "no calls",
    "filters": "no fact",
}
WIDE = f"RETURN '{'日本語の長い文章です。' * 3}' AS answer, 9 AS n, '/a/long/path/of/some/file.jpg' AS file"


@pytest.fixture(scope="module")
def folder(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The demo's workspace, ``W``, with its engine kept up."""
    folder = tmp_path_factory.mktemp("screens")
    shutil.copytree(demo_made / "W", folder / "W")
    kbe_here("-w", folder / "W", "db", "start")
    yield folder
    kbe_here("-w", folder / "W", "db", "stop")


def screen(folder: Path, command: str, columns: int, **environ: str) -> str:
    words = [word.format(wide=WIDE) for word in command.split()]
    return shown_on_terminal([quick_kbe.path(), "-w", str(folder / "W"), *words], columns=columns, **environ)


def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(folder: Path) -> None:
    for command, text in SCREENS.items():
        lines = terminal_lines(screen(folder, command, 40))
        assert text in " ".join(" ".join(lines).split()), command
        paths = [line for line in lines if line.startswith("  picture ")]
        assert all(line.endswith(".jpg") for line in paths)  # whole, to be copied
        assert [line for line in lines if line not in paths and (cell_len(line) > 40 or "…" in line)] == [], command
