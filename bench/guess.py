"""What balancing and foreseeing each do to how often questions are guessed without their pictures.

    python bench/guess.py DATA WORKSPACE

DATA holds the development halves of OK-VQA and A-OKVQA with VinVL's captions and the detected labels; both are loaded
and extracted into WORKSPACE, where that has not been done yet. Four runs of three hops then differ in the settings of
the filter ``guessable`` alone; each is made once, so that the command can be given again. Prints the rows of the table
in docs/filters.md: the questions of each hop, and for each guesser the per cent that are right, hop by hop. The linear
guesser is the one that neither balancing nor foreseeing counts anything like.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from kbe_graph import Guesses, Workspace

BENCHMARKS = {"okvqa": "okvqa/val_dev_half.jsonl.gz", "aokvqa": "aokvqa/val_dev_half.jsonl.gz"}
CAPTIONS = "coco_captions_tags/VinVL_base_val2014.tsv.gz"
DETECTIONS = "s3vqa_okvqa/val_detections.json.gz"
NO_BALANCE: Mapping[str, float] = {"group_share": 1.0, "group_answers": 1}
NO_FORESIGHT: Mapping[str, float] = {"foreseen_share": 1.0}
RUNS: Mapping[str, Mapping[str, float]] = {
    "neither": {**NO_BALANCE, **NO_FORESIGHT},
    "foreseen": NO_BALANCE,
    "balance": NO_FORESIGHT,
    "both": {},
}
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


def guesses_of(run: str, settings: Mapping[str, float], workspace: Path) -> Guesses:
    """Make a run with these settings, and return what guessing its questions is worth."""
    lines = [f"{name} = {value}" for name, value in settings.items()]
    (workspace / "kbe.toml").write_text("\n".join(["[filters]", *lines, ""]), encoding="utf-8")
    with Workspace(workspace) as work:
        return work.evolve(hops=len(HOPS), seed=0, run=run).guess()


def table_row(run: str, guesses: Guesses) -> str:
    """Return a row of the table: a cell holds the figures of the hops, one after the other."""
    rows = {row.row: row for row in guesses.rows if row.row in HOPS}
    cells = [" / ".join(str(rows[hop].questions if hop in rows else 0) for hop in HOPS)]
    cells += [" / ".join(f"{100 * row.guessers[name].share:.1f}" for row in rows.values()) for name in GUESSERS]
    return f"| {' | '.join((run, *cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("workspace", type=Path)
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.workspace)
    print(f"| run | questions | {' | '.join(GUESSERS)} |")
    for run, settings in RUNS.items():
        print(table_row(run, guesses_of(run, settings, arguments.workspace)))


if __name__ == "__main__":
    main()
