import csv
from pathlib import Path

import pytest

from kbe_graph.checks.flaw import flaw, slips


@pytest.mark.parametrize(
    "text",
    [
        "Which bone drives the man's left hand holding shown in this image?",
        "What is the bone in what drives what the man is riding?",
        "What is the state of the highest mountain in the countries colors the colors of the bus are?",
        "What is the craftsman for the material from which this bat is made of?",
        "What is the capital of the country where these animals are in?",
        "What is the tool of the appliance that is that stuffed animal inside?",
        "What is the country of origin of the dog breed of this dog?",
        "What is the longest river of the continent s of this bird?",
        "What is the country of origin of the cow that the brown one is?",
        "What is the alcoholic drink made from the fruit that are there the most of in the bowl?",
        "What is the native region of the type of flower which that could be?",
        "What is the number of sides of the shape of a stop sign in this image?",
        "What is the taxonomic family of the one of these fruits that has most water?",
    ],
)
def test_slips_are_seen(text: str):
    assert flaw(text)


def test_a_clause_may_begin_with_what_it_points_at():
    assert not flaw("What is the two-letter ISO code of the language which that sign is in?")


def test_every_row_of_the_table_of_slips_finds_its_example_and_no_question_that_was_read_as_good():
    sheet = Path(__file__).parents[2] / "docs" / "quality" / "sheet.tsv"
    with sheet.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    verdicts = [f"{verdict} {reader}" for verdict in ("grammar", "publish") for reader in (1, 2)]
    good = [row["question"] for row in rows if all(row[verdict] == "yes" for verdict in verdicts)]
    assert len(slips()) > 50
    assert len(good) > 90
    assert [(text, flaw(text)) for text in good if flaw(text)] == []
