"""Each kind that the rules speak of holds what is meant, and each of its synsets is needed for it."""

import csv
from pathlib import Path

from kbe_graph.english.wordnet import wordnet

PACKAGE = Path(__file__).parents[2] / "kbe_graph"


def rows() -> list[dict[str, str]]:
    with (PACKAGE / "data" / "kinds.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_synset_is_told_by_its_lemma_and_definition():
    for row in rows():
        synset = wordnet().synset(row["synset"])
        assert row["lemma"] in synset.lemmas, row["name"]
        assert synset.gloss.partition('; "')[0] == row["definition"], row["name"]
