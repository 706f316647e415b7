"""Review sheets as they come on a bad day: each is read as it is meant, or refused, and then no verdict is kept."""

from collections.abc import Callable
from pathlib import Path

import pytest
from commands import kbe_here

from kbe_graph import review_sheet
from kbe_graph.errors import KbeError
from kbe_graph.facts.review import take_verdicts

Change = Callable[[bytes], bytes]


def verdict(word: str, *, line: int = 1) -> Change:
    """Put a verdict into a line of the sheet."""

    def change(sheet: bytes) -> bytes:
        lines = sheet.splitlines(keepends=True)
        cells = lines[line].split(b"\t")
        cells[3] = word.encode()
        lines[line] = b"\t".join(cells)
        return b"".join(lines)

    return change


def twice(sheet: bytes) -> bytes:
    """Say right and wrong of one fact."""
    right, wrong = verdict("right")(sheet), verdict("wrong")(sheet)
    return right + wrong.splitlines(keepends=True)[1]


REFUSED: list[tuple[str, Change, str]] = [
    ("other columns", lambda sheet: sheet.replace(b"verdict", b"opinion", 1), "line 1: the columns are ["),
    ("empty", lambda _: b"", "line 1: the columns are ['']; they must be ["),
    ("commas", lambda sheet: sheet.replace(b"\t", b","), "line 1: the columns are ["),
    ("blanks", lambda sheet: sheet.replace(b"\t", b" "), "line 1: the columns are ["),
    ("a row that is cut", lambda sheet: sheet + b"wn30:1\tsound", "2 fields; there must be 13"),
    ("binary", lambda _: bytes(range(128, 256)), "byte 0 is not UTF-8; save it as UTF-8"),
    ("a workbook", lambda _: b"PK\x03\x04\x14", "a workbook or another zip archive; save it as text, with tabs"),
    ("another word", verdict("maybe"), "line 2: 'verdict' is 'maybe'; write right or wrong, or leave it empty"),
    ("verdicts that contradict", twice, "is wrong here and right at line 2; keep one of them"),
    ("an unknown fact", lambda sheet: verdict("right")(sheet).replace(b"\n", b"\nnosuch:", 1), "no fact 'nosuch:"),
]
TAKEN: list[tuple[str, Change, int]] = [
    ("as it is", lambda sheet: sheet, 0),
    ("the header alone", lambda sheet: sheet.splitlines(keepends=True)[0], 0),
    ("BOM", lambda sheet: b"\xef\xbb\xbf" + verdict("right")(sheet), 1),
    ("CRLF", lambda sheet: verdict("wrong")(sheet).replace(b"\n", b"\r\n"), 1),
    ("capitals and a blank", verdict(" RIGHT "), 1),
    ("the same twice", lambda sheet: (one := verdict("right")(sheet)) + one.splitlines(keepends=True)[1], 1),
]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("sheet") / "sheet.tsv"
    review_sheet(file)
    return b"".join(file.read_bytes().splitlines(keepends=True)[:8])


@pytest.mark.parametrize(("change", "says"), [pytest.param(change, says, id=case) for case, change, says in REFUSED])
def test_it_is_refused_and_no_verdict_is_kept(tmp_path: Path, sheet: bytes, change: Change, says: str) -> None:
    (tmp_path / "s.tsv").write_bytes(change(sheet))
    kbe_here("-w", tmp_path, "init")
    said = kbe_here("-w", tmp_path, "facts", "review", tmp_path / "s.tsv", code=1)
    assert says in said
    assert "s.tsv" in said
    assert said.count("\n") == 1
    assert not list((tmp_path / ".kbe").rglob("review.tsv"))


@pytest.mark.parametrize(("change", "taken"), [pytest.param(change, taken, id=case) for case, change, taken in TAKEN])
def test_it_is_read_as_it_is_meant(tmp_path: Path, sheet: bytes, change: Change, taken: int) -> None:
    (tmp_path / "s.tsv").write_bytes(change(sheet))
    assert take_verdicts(tmp_path / "s.tsv", tmp_path / "review.tsv").taken == taken
    assert (tmp_path / "review.tsv").exists() == bool(taken)


def test_a_spoiled_sheet_leaves_the_verdicts_that_are_kept(tmp_path: Path, sheet: bytes) -> None:
    kept = tmp_path / "review.tsv"
    (tmp_path / "s.tsv").write_bytes(verdict("right")(sheet))
    take_verdicts(tmp_path / "s.tsv", kept)
    before = kept.read_bytes()
    (tmp_path / "s.tsv").write_bytes(twice(sheet))
    with pytest.raises(KbeError):
        take_verdicts(tmp_path / "s.tsv", kept)
    assert kept.read_bytes() == before
