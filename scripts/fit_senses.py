"""Fits the weights by which the sense of an answer is chosen, and tells what that would gain.

    KBE_DATA=... python scripts/fit_senses.py [--folds 5] [--seed 0]

Reads ``tests/data/senses.tsv`` (answers whose sense was judged by eye) and, where KBE_DATA is set, ``nlp/wsd.json`` in
it (ambiguous answers of OK-VQA, with ``wsd_gold.json``). One weight after the other is made smaller and larger by
steps, and a value is kept where it links more answers rightly; this goes on until a round changes nothing. Weights that
were chosen by the answers that they are measured on look better than they are, so the answers are also drawn into
folds, and each fold is linked by weights that were fitted on the others.

Prints the share that the weights of ``kbe_graph/senses/scoring.py`` link rightly, that of the fitted ones on the
answers they were fitted on and on answers they were not, and each weight that changed. It writes nothing: other weights
link other answers, so put them into ``weights.py`` where the gain on the folds is worth that. ``cosine`` is left as it
is, as it counts with vectors alone.
"""

import argparse
import csv
import json
import os
import random
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.evolve.knowledge import LEAST_CONFIDENCE
from kbe_graph.senses.scoring import WEIGHTS, Weights
from kbe_graph.senses.sense import link

JUDGED = Path(__file__).parents[1] / "tests" / "data" / "senses.tsv"
STEPS = (0.0, 0.5, 0.75, 1.33, 2.0)
LEFT_OUT = {"cosine"}
ROUNDS = 3


class Judged(NamedTuple):
    """An answer with the right concepts, ``-`` where none is meant; ``least`` is the confidence asked for."""

    question: str
    answer: str
    objects: tuple[str, ...]
    right: frozenset[str]
    least: float


def read_senses() -> list[Judged]:
    """Return the answers of ``senses.tsv``."""
    with JUDGED.open(encoding="utf-8", newline="") as file:
        return [
            Judged(
                row["question"],
                row["answer"],
                tuple(filter(None, row["objects"].split(","))),
                frozenset(row["concept"].split("|")),
                LEAST_CONFIDENCE,
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def read_ambiguous(folder: Path) -> list[Judged]:
    """Return the answers of ``wsd.json`` that have a gold sense."""
    rows = json.loads((folder / "wsd.json").read_text(encoding="utf-8"))
    gold = json.loads((folder / "wsd_gold.json").read_text(encoding="utf-8"))
    return [_ambiguous(rows[int(place)], numbers) for place, numbers in gold.items()]


def _ambiguous(row: dict[str, str], numbers: Sequence[int]) -> Judged:
    names = (row["a"], wordnet().base(row["a"]) or "")
    senses = list(dict.fromkeys(synset.id for name in names for synset in wordnet().synsets(name)))
    return Judged(row["q"], row["a"], (), frozenset(senses[number] for number in numbers), 0.0)


def count_right(rows: Sequence[Judged], weights: Weights) -> int:
    """Return how many answers are linked rightly."""
    return sum(_is_right(row, weights) for row in rows)


def _is_right(row: Judged, weights: Weights) -> bool:
    found = link(row.question, row.answer, row.objects, weights=weights)
    return (found.concept if found.confidence >= row.least else "-") in row.right


def fit(rows: Sequence[Judged]) -> Weights:
    """Return the weights that a search along one weight at a time comes to."""
    best, most = WEIGHTS, count_right(rows, WEIGHTS)
    for _ in range(ROUNDS):
        before = most
        for field in fields(Weights):
            for step in () if field.name in LEFT_OUT else STEPS:
                tried = replace(best, **{field.name: round(getattr(best, field.name) * step, 3)})
                if (right := count_right(rows, tried)) > most:
                    best, most = tried, right
        if most == before:
            break
    return best


def cross_validated(rows: Sequence[Judged], folds: int, seed: int) -> int:
    """Return how many answers are linked rightly by weights that were fitted on the other folds."""
    drawn = random.Random(seed).sample(list(rows), len(rows))
    right = 0
    for fold in range(folds):
        others = [row for place, row in enumerate(drawn) if place % folds != fold]
        right += count_right(drawn[fold::folds], fit(others))
    return right


def main() -> None:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sets = {"senses.tsv": read_senses()}
    if folder := os.environ.get("KBE_DATA"):
        sets["wsd.json"] = read_ambiguous(Path(folder) / "nlp")
    rows = [row for some in sets.values() for row in some]
    fitted = fit(rows)
    for name, some in {**sets, "all": rows}.items():
        before, after = count_right(some, WEIGHTS), count_right(some, fitted)
        print(
            f"{name}: {len(some)} answers, {before / len(some):.1%} right, {after / len(some):.1%} after fitting to all"
        )
    print(
        f"all, each by weights fitted on the others: {cross_validated(rows, given.folds, given.seed) / len(rows):.1%}"
    )
    for field in fields(Weights):
        old, new = getattr(WEIGHTS, field.name), getattr(fitted, field.name)
        print(f"  {field.name}: {old}" + (f" -> {new}" if new != old else ""))


if __name__ == "__main__":
    main()
