"""``kbe guess`` on the demo: what it prints, what it learns from, and what the export keeps of it."""

import json
from pathlib import Path

from commands import kbe_here


def guessed(workspace: Path, *more: object) -> dict[str, dict[str, object]]:
    rows = json.loads(kbe_here("-w", workspace, "guess", "--run", "demo-0", "--json", *more))["rows"]
    return {row["row"]: row for row in rows}


def test_each_row_is_guessed(demo_looked_at: Path) -> None:
    rows = guessed(demo_looked_at)
    assert {"raw", "hop 1"} <= set(rows)
    assert set(rows["raw"]["guessers"]) == {"majority", "nearest"}
    assert set(rows["hop 1"]["guessers"]) == {"majority", "relation", "chain", "nearest"}
    lines = kbe_here("-w", demo_looked_at, "guess", "--run", "demo-0").splitlines()
    assert lines[0].split("\t")[:2] == ["guessed by", "raw"]
    assert lines[1].split("\t")[1] == str(rows["raw"]["questions"])
