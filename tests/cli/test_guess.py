"""``kbe guess`` on the demo: what it prints, what it learns from, and what the export keeps of it."""

import json
from collections import Counter
from pathlib import Path

from commands import kbe_here


def guessed(workspace: Path, *more: object) -> dict[str, dict[str, object]]:
    rows = json.loads(kbe_here("-w", workspace, "guess", "--run", "demo-0", "--json", *more))["rows"]
    return {row["row"]: row for row in rows}


def test_each_row_is_guessed(demo_looked_at: Path) -> None:
    rows = guessed(demo_looked_at)
    assert {"raw", "hop 1"} <= set(rows)
    assert set(rows["raw"]["guessers"]) == {"majority", "nearest", "linear"}
    assert set(rows["hop 1"]["guessers"]) == {"majority", "relation", "chain", "nearest", "linear"}
    lines = kbe_here("-w", demo_looked_at, "guess", "--run", "demo-0").splitlines()
    assert lines[0].split("\t")[:2] == ["guessed by", "raw"]
    assert lines[1].split("\t")[1] == str(rows["raw"]["questions"])


def test_the_export_tells_the_share_of_the_top_answer(demo_looked_at: Path, tmp_path: Path) -> None:
    kbe_here("-w", demo_looked_at, "export", "jsonl", tmp_path / "e.jsonl", "--run", "demo-0", "--all")
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    kept = [line for line in lines if line["kind"] == "explored" and line["status"] == "kept"]
    assert {line["id"] for line in lines if "top_answer_share" in line} == {line["id"] for line in kept}
    first = [line for line in kept if line["hop"] == 1]
    relation = first[0]["key"][-1]["relation"]
    answers = Counter(line["answer"].lower() for line in first if line["key"][-1]["relation"] == relation)
    expected = round(max(answers.values()) / answers.total(), 4)
    assert first[0]["top_answer_share"] == {"relation": expected, "chain": expected}
