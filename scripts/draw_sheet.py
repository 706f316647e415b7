"""Write a sheet of evolved questions to be read and judged one by one.

``python scripts/draw_sheet.py EXPORT.jsonl SHEET.tsv --hops 3 --each 50 --seed 1`` draws as many kept explored
questions of each hop, or all where a hop has fewer, and leaves the columns of the verdicts empty.
"""

import argparse
import csv
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

DRAWN = ("id", "hop", "question", "answer", "aliases", "raw question", "raw answer", "key path")
VERDICTS = ("fact right", "grammatical", "leak-free", "all in order", "note")


def drawn(lines: Sequence[dict[str, Any]], hop: int, each: int, seed: int) -> list[dict[str, Any]]:
    """Return up to ``each`` kept explored questions of a hop by id; the same for the same questions in any order."""
    kept = [line for line in lines if line["hop"] == hop and line["kind"] == "explored" and line["status"] == "kept"]
    kept.sort(key=lambda line: str(line["id"]))
    few = random.Random(f"{seed} {hop}").sample(kept, min(each, len(kept)))
    return sorted(few, key=lambda line: str(line["id"]))


def row(line: dict[str, Any], raw: dict[str, Any]) -> tuple[str, ...]:
    """Return the columns of one question; the key path names the source of each explored fact."""
    path = "; ".join(
        f"({triplet['subject']}, {triplet['relation']}, {triplet['object']}){_source(triplet)}"
        for triplet in line["key"]
    )
    return (
        str(line["id"]),
        str(line["hop"]),
        str(line["question"]),
        str(line["answer"]),
        " | ".join(line["aliases"]),
        str(raw["question"]),
        str(raw["answer"]),
        path,
    )


def _source(triplet: dict[str, Any]) -> str:
    return f" [{triplet['source']} {triplet['source_ref']}]" if triplet.get("source_ref") else ""


def sheet(lines: Sequence[dict[str, Any]], hops: int, each: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a sheet with empty verdicts, hop by hop."""
    raw = {line["sample"]: line for line in lines if line["kind"] == "raw"}
    for hop in range(1, hops + 1):
        for line in drawn(lines, hop, each, seed):
            yield (*row(line, raw[line["sample"]]), *("" for _ in VERDICTS))


def main() -> None:
    """Read the arguments, draw, and write the sheet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("export", type=Path)
    parser.add_argument("sheet", type=Path)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = [json.loads(line) for line in arguments.export.read_text("utf-8").splitlines()]
    with arguments.sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow((*DRAWN, *VERDICTS))
        writer.writerows(sheet(lines, arguments.hops, arguments.each, arguments.seed))


if __name__ == "__main__":
    main()
