"""``kbe review`` on the demo: what was decided, sheets out and in, and exports that go by it."""

import csv
import json
from pathlib import Path

from commands import kbe_here


def test_a_sheet_is_written_filled_in_and_taken(demo_kept_up: Path, tmp_path: Path) -> None:
    kbe = ("-w", demo_kept_up, "review")
    sheet = tmp_path / "ann.csv"
    count = json.loads(kbe_here(*kbe, "export", sheet, "--format", "csv", "--json"))["questions"]
    assert f"open\t{count}" in kbe_here(*kbe, "status").splitlines()
    with sheet.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == count
    assert Path(rows[0]["picture"]).is_file()
    rows[0] |= {"verdict": "reject", "factual": "no", "reason": "wrong"}
    with sheet.open("w") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert "holds something else" in kbe_here(*kbe, "export", sheet, code=1)  # somebody's work
    assert kbe_here(*kbe, "take", sheet) == "imported 1 decisions; 0 were already imported\n"
    assert json.loads(kbe_here(*kbe, "take", sheet, "--json")) == {"taken": 0, "repeated": 1}
    shown = json.loads(kbe_here(*kbe, "status", "--overlap", 1, "--json"))
    assert shown["questions"] == {"rejected": 1, "open": count - 1}
    assert shown["missing"] == 2 * count - 1
    assert "reviewed by people" in kbe_here("-w", demo_kept_up, "status")
    for reviewed, lost in (("not-rejected", True), ("all", False)):
        kbe_here("-w", demo_kept_up, "export", "jsonl", tmp_path / "e.jsonl", "--reviewed", reviewed)
        ids = {json.loads(line)["id"] for line in (tmp_path / "e.jsonl").read_text().splitlines()}
        assert (rows[0]["id"] not in ids) == lost
