"""The sense of real answers, judged by eye (``data/README.md``)."""

import csv
from collections import Counter
from pathlib import Path

from kbe_graph.evolve.knowledge import LEAST_CONFIDENCE
from kbe_graph.facts.walk import link

JUDGED = Path(__file__).parents[1] / "data" / "senses.tsv"


def _rows(drawn):
    with JUDGED.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["drawn"] == drawn]


def _linked(row):
    found = link(row["question"], row["answer"], tuple(row["objects"].split(",")) if row["objects"] else ())
    return found.concept if found.confidence >= LEAST_CONFIDENCE else "-"


def test_real_answers_have_the_sense_that_a_reader_gives_them() -> None:
    for drawn, least, least_right in [("chance", 0.86, 0.94), ("hard", 0.80, 0.77)]:
        rows = _rows(drawn)
        right = Counter((_linked(row) != "-", _linked(row) in row["concept"].split("|")) for row in rows)
        assert (right[True, True] + right[False, True]) / len(rows) >= least
        assert right[True, True] / (right[True, True] + right[True, False]) >= least_right
