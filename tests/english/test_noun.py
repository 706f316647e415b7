import csv
from pathlib import Path

from kbe_graph.english.noun import is_noun

LEAST = 0.95
LABELLED = Path(__file__).parents[1] / "data" / "nouns.tsv"


def test_nouns_are_kept() -> None:
    for question, answer in [
        ("What animal is this?", "a dog"),
        ("What sport is this?", "snowboarding"),
        ("What fruit is that?", "orange"),
        ("What language is this?", "chinese"),
        ("What are the bowls made of?", "ceramic"),
        ("What model is this plane?", "Boeing 747"),
        ("What holiday might this be?", "4th of july"),
        ("What store is this?", "IKEA"),
        ("What makes the floor shiny?", "polish"),
        ("Name the object used for putting nails in walls?", "hammer"),
        ("Who is the best in this sport?", "bode miller"),
        ("Is this a wedding or birthday?", "wedding"),
        ("Which company owns this truck?", "ups"),
        ("Is this animal in a cage or in the wild?", "wild"),
    ]:
        assert is_noun(question, answer).keep


def test_other_answers_are_refused_and_named() -> None:
    for question, answer, detail in [
        ("How many?", "two", "number"),
        ("How much?", "$5", "number"),
        ("Is it raining?", "no", "adverb"),
        ("How big is it?", "very big", "adverb"),
        ("Where is the man?", "in the kitchen", "phrase"),
        ("What color is it?", "orange", "colour"),
        ("What cuisine is this?", "italian", "nationality"),
        ("What is he doing?", "surfing", "gerund"),
        ("How is it cooked?", "grilled", "adjective"),
        ("What is the plane going to do?", "land", "verb"),
        ("What does this do for a person?", "cleans teeth", "verb phrase"),
        ("What letter?", "z", "letter"),
        ("What?", "", "no word"),
        ("What?", "?", "no word"),
    ]:
        decision = is_noun(question, answer)
        assert (decision.keep, decision.reason, decision.detail) == (False, "not a noun", detail)


def _share_right(path, *parts):
    with path.open(encoding="utf-8") as stream:
        rows = [
            row
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["label"] in {"N", "X"} and (not parts or row["part"] in parts)
        ]
    return sum(is_noun(row["question"], row["answer"]).keep == (row["label"] == "N") for row in rows) / len(rows)


def test_labelled_answers_are_told_apart(data):
    assert _share_right(data / "nlp" / "noun_labels_dev.tsv") >= LEAST


def test_answers_labelled_before_the_rules_saw_them_are_told_apart() -> None:
    for part, least in [("mended", 0.97), ("held", 0.89), ("later", 0.94), ("fresh", 0.95)]:
        assert _share_right(LABELLED, part) >= least
