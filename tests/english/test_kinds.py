"""Each kind that the rules speak of holds what is meant, and each of its synsets is needed for it."""

import csv
import re
from pathlib import Path

from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.relation import relations

PACKAGE = Path(__file__).parents[2] / "kbe_graph"


def rows() -> list[dict[str, str]]:
    with (PACKAGE / "data" / "kinds.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_synset_is_told_by_its_lemma_and_definition():
    for row in rows():
        synset = wordnet().synset(row["synset"])
        assert row["lemma"] in synset.lemmas, row["name"]
        assert synset.definition == row["definition"], row["name"]


def test_every_kind_is_asked_for_by_a_rule():
    code = "\n".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))
    asked = {
        *re.findall(r'"([a-z, ]+)"', code),
        *(name for one in relations().values() for name in (*one.subject, *one.object)),
    }
    assert {row["name"] for row in rows()} - asked == set()
