"""What the shares of chains and answers do to the questions of a run, and to how often they are guessed blind.

    python bench/guess.py DATA WORKSPACE

DATA holds the development halves of OK-VQA and A-OKVQA with VinVL's captions and the detected labels; both are loaded
and extracted into WORKSPACE, where that has not been done yet. Two runs of three hops then differ in the settings of
the filter ``guessable`` alone; each is made once, so that the command can be given again. Prints the rows of a table:
the questions of each hop, their effective last relations and chains, and for each guesser the per cent that are right,
hop by hop.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from kbe_graph import Workspace

BENCHMARKS = {"okvqa": "okvqa/val_dev_half.jsonl.gz", "aokvqa": "aokvqa/val_dev_half.jsonl.gz"}
CAPTIONS = "coco_captions_tags/VinVL_base_val2014.tsv.gz"
DETECTIONS = "s3vqa_okvqa/val_detections.json.gz"
RUNS: Mapping[str, Mapping[str, float]] = {"free": {"chain_share": 1.0, "answer_share": 1.0}, "shared out": {}}
GUESSERS = ("relation", "chain", "nearest", "linear")
HOPS = ("hop 1", "hop 2", "hop 3")


def prepare(data: Path, workspace: Path) -> None:
    """Load and extract both halves."""
    with Workspace(workspace) as work:
        if work.store.count_samples(status="extracted"):
            return
        for name, file in BENCHMARKS.items():
            work.load(data / file, name=name, split="val")
        work.extract(captions=data / CAPTIONS, detections=data / DETECTIONS)


def table_row(run: str, settings: Mapping[str, float], workspace: Path) -> str:
    """Make a run with these settings; a cell of its row holds the figures of the hops, one after the other."""
    lines = [f"{name} = {value}" for name, value in settings.items()]
    (workspace / "kbe.toml").write_text("\n".join(["[filters]", *lines, ""]), encoding="utf-8")
    with Workspace(workspace) as work:
        made = work.evolve(hops=len(HOPS), seed=0, run=run)
        guesses, varied = made.guess(), work.stats.table(run, what="variety")
    rows = {row.row: row for row in guesses.rows if row.row in HOPS}
    cells = [" / ".join(str(rows[hop].questions if hop in rows else 0) for hop in HOPS)]
    effective = ("effective relations", "effective chains")
    cells += [" / ".join(f"{value:.1f}" for value in varied[name]) for name in effective]
    cells += [" / ".join(f"{100 * row.guessers[name].share:.1f}" for row in rows.values()) for name in GUESSERS]
    return f"| {' | '.join((run, *cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("workspace", type=Path)
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.workspace)
    print(f"| run | questions | relations | chains | {' | '.join(GUESSERS)} |")
    for run, settings in RUNS.items():
        print(table_row(run, settings, arguments.workspace))


if __name__ == "__main__":
    main()
