"""The sense of real answers, judged by eye (``data/README.md``)."""

import csv
from collections import Counter
from pathlib import Path

from kbe_graph.english.wordnet import wordnet
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
    for drawn, least, least_right in [("chance", 0.87, 0.92), ("hard", 0.8, 0.76)]:
        rows = _rows(drawn)
        right = Counter((_linked(row) != "-", _linked(row) in row["concept"].split("|")) for row in rows)
        assert (right[True, True] + right[False, True]) / len(rows) >= least
        assert right[True, True] / (right[True, True] + right[True, False]) >= least_right


def test_the_table_holds_enough_to_tell_and_senses_of_wordnet():
    rows = [*_rows("chance"), *_rows("hard")]
    assert len(rows) > 400
    assert all(wordnet().synset(concept) for row in rows for concept in row["concept"].split("|") if concept != "-")


def test_longer_names_slips_and_measures_are_found() -> None:
    for question, answer, objects, definition in [
        ("What base is this?", "second", (), "the base that must be touched second"),
        ("What breed of dog is this?", "labrador", (), "breed originally from Labrador"),
        ("What kind of dog is this?", "lab", ("dog",), "breed originally from Labrador"),
        ("What kind of dog is this?", "dalmation", (), "a large breed having"),
        ("What is the term for the young animal in the picture?", "calf", ("elephant",), "young of various large"),
        ("What monument is that?", "washington", (), "a stone obelisk"),
        ("How long is the cord for this mouse?", "2 feet", ("mouse", "keyboard"), "a linear unit"),
        ("What are the players standing on?", "court", ("tennis court", "racket"), "a specially marked"),
    ]:
        assert link(question, answer, objects).gloss.startswith(definition)


def test_deeds_sizes_and_leftover_senses_are_abstained_from() -> None:
    for question, answer in [
        ("What is that basin used for?", "washing hands"),
        ("How does this animal get around?", "fly"),
        ("What size bed is this?", "queen"),
        ("What kind of cat is this?", "black"),
        ("What type of terrain does this activity take place in?", "snow"),
        ("What beach is this?", "myrtle"),
    ]:
        assert link(question, answer).confidence < LEAST_CONFIDENCE


def test_a_word_of_the_question_tells_more_than_what_is_seen():
    seen = ("elephant", "tusk", "watering hole")
    assert link("What part of the car holds the luggage?", "trunk", seen).gloss.startswith(
        "compartment in an automobile"
    )
    assert link("What is it lifting?", "trunk", seen).gloss.startswith("a long flexible snout")
