"""Sheets on which people label answers, and how far they agree with judges."""

import csv
from collections import Counter

import pytest

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.study.human_study import draw_stratified
from kbe_graph.study.judge_agreement import (
    add_to_key,
    draw_judge_sheet,
    judge_agreement,
    read_key,
    read_labels,
    write_judge_sheet,
)
from kbe_graph.types import Prediction, Question, Sample, Vote

SAMPLES = {"own/1": Sample("own/1", "own", "", "What animal?", "giraffe", ("giraffe", "a giraffe"))}
QUESTIONS = {
    f"own/1@r/{hop}": Question(
        f"own/1@r/{hop}", "own/1", "r", hop, "explored" if hop else "raw", f"=hop {hop}?", "giraffe", (), ("tall one",)
    )
    for hop in range(3)
}


def prediction(number, hop=1, verdict="right", text="", **more):
    return Prediction("llava", f"own/1@r/{hop}", text or f"answer {number}", run=number, verdict=verdict, **more)


PREDICTIONS = [
    prediction(number, hop, verdict, judge="match")
    for hop, (right, wrong) in enumerate(((30, 2), (20, 20), (5, 30)))
    for verdict, count in (("right", right), ("wrong", wrong))
    for number in range(1 + 100 * (verdict == "wrong"), 1 + 100 * (verdict == "wrong") + count)
]


def test_a_draw_is_even_and_a_larger_one_only_adds():
    strata = {f"{stratum}{number}": stratum for stratum, size in (("a", 50), ("b", 3)) for number in range(size)}
    few, more = draw_stratified(strata, 10, 1), draw_stratified(strata, 20, 1)
    assert Counter(strata[id_] for id_ in few) == {"a": 7, "b": 3}
    assert set(few) <= set(more)
    assert few == draw_stratified(dict(reversed(strata.items())), 10, 1) != draw_stratified(strata, 10, 2)
    assert few != sorted(few)


def test_a_sheet_is_spread_over_verdict_and_hop_and_shows_neither_them_nor_the_model(tmp_path):
    rows = draw_judge_sheet(PREDICTIONS, QUESTIONS, SAMPLES, number=36, seed=3)
    by_id = {prediction.id: prediction for prediction in PREDICTIONS}
    counts = Counter((by_id[row.prediction].verdict, by_id[row.prediction].question[-1]) for row in rows)
    assert (counts["wrong", "0"], counts["right", "2"]) == (2, 5)  # all that there are
    assert sorted(counts.values()) == [2, 5, 7, 7, 7, 8]
    assert len(rows) == len({row.id for row in rows}) == 36
    write_judge_sheet(tmp_path / "sheet.csv", rows)
    text = (tmp_path / "sheet.csv").read_text()
    assert not any(word in text for word in ("llava", "right", "own/1"))
    lines = list(csv.DictReader(text.splitlines()))
    assert [*lines[0]] == ["id", "question", "reference", "aliases", "answer", "label"]
    assert {line["question"] for line in lines} == {"'=hop 0?", "'=hop 1?", "'=hop 2?"}
    assert {line["aliases"] for line in lines} == {"tall one", "tall one | a giraffe"}


def test_an_answer_that_models_share_is_drawn_once_and_one_without_a_verdict_never():
    shared = [prediction(1, text="a dog"), prediction(2, text="a dog"), prediction(3, verdict="")]
    (row,) = draw_judge_sheet(shared, QUESTIONS, SAMPLES)
    assert row.prediction == shared[0].id
    asked = prediction(4, text="a dog", asked="In other words?")
    rows = draw_judge_sheet([*shared, asked], QUESTIONS, SAMPLES)
    assert {row.question for row in rows} == {"=hop 1?", "In other words?"}


def label_sheet(tmp_path, predictions, labels, rater="ann"):
    rows = draw_judge_sheet(predictions, QUESTIONS, SAMPLES, seed=1)
    add_to_key(tmp_path / "key.json", rows)
    write_judge_sheet(tmp_path / f"{rater}.csv", rows)
    with (tmp_path / f"{rater}.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    key = read_key(tmp_path / "key.json")
    with (tmp_path / f"{rater}.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, lines[0].keys())
        writer.writeheader()
        writer.writerows({**line, "label": labels[key[line["id"]]]} for line in lines)
    return read_labels(tmp_path / f"{rater}.csv")


def test_labels_of_a_sheet_are_compared_with_the_verdicts(tmp_path):
    verdicts = ["right"] * 20 + ["wrong"] * 20
    predictions = [prediction(number, 1, verdict, judge="match") for number, verdict in enumerate(verdicts, 1)]
    ann = {one.id: one.verdict if one.run % 10 else "wrong" for one in predictions}
    labels = label_sheet(tmp_path, predictions, ann)
    rows = {row.measure: row for row in judge_agreement(predictions, labels, read_key(tmp_path / "key.json"))}
    assert {row.between for row in rows.values()} == {"ann and match"}
    assert [*rows] == ["percent", "Cohen's kappa", "alpha", "AC1", "agreement on right", "agreement on wrong"]
    assert rows["percent"].value == 38 / 40
    assert rows["Cohen's kappa"].value == pytest.approx(0.9)
    assert rows["agreement on right"].value == pytest.approx(36 / 38)
    assert all(row.low < row.value < row.high and row.items == 40 for row in rows.values())


def test_several_people_are_compared_with_each_other_and_by_their_majority(tmp_path):
    predictions = [prediction(number, 1, "right" if number % 2 else "wrong", judge="match") for number in range(1, 21)]
    own = {one.id: one.verdict for one in predictions}
    odd = {one.id: "right" if one.run <= 5 else one.verdict for one in predictions}
    labels = [
        *label_sheet(tmp_path, predictions, own, "ann"),
        *label_sheet(tmp_path, predictions, own, "bea"),
        *label_sheet(tmp_path, predictions, odd, "cy"),
    ]
    rows = judge_agreement(predictions, labels, read_key(tmp_path / "key.json"))
    percents = {row.between: row.value for row in rows if row.measure == "percent"}
    assert percents == {
        "ann and match": 1.0,
        "bea and match": 1.0,
        "cy and match": 0.9,
        "majority of people and match": 1.0,
        "people": pytest.approx((18 + 2 / 3) / 20),
    }
    assert {row.measure for row in rows if row.between == "people"} >= {"Fleiss' kappa"}


def test_the_votes_of_judges_are_compared_without_any_label():
    votes = [("right", "right"), ("right", "wrong"), ("wrong", "wrong"), ("wrong", "wrong")]
    predictions = [
        prediction(number, votes=(Vote("a", first), Vote("b", second)))
        for number, (first, second) in enumerate(votes, 1)
    ]
    rows = judge_agreement(predictions)
    apart = [
        prediction(number).unjudged.with_verdict("a", first).with_verdict("b", second)
        for number, (first, second) in enumerate(votes, 1)
    ]
    assert judge_agreement(apart) == rows
    assert {row.between for row in rows} == {"judges: a, b"}
    assert [row.value for row in rows][:2] == [0.75, 0.5]


def test_labels_that_cannot_be_read_are_refused_with_their_place(tmp_path):
    file = tmp_path / "ann.csv"
    for text, problem in (
        ("id,label\na1,maybe\n", "line 2: 'label' is 'maybe'; write right or wrong, or leave it empty"),
        ("id,label\na1,right\na1,wrong\n", "line 3: 'ann' labels 'a1' here and in line 2; keep one of them"),
        ("id,verdict\na1,right\n", "line 1: no 'label' column; found 'id', 'verdict'"),
        ("id,label\na1,\n", "no row has a 'label'; write right or wrong there"),
    ):
        file.write_text(text)
        with pytest.raises(DatasetError) as caught:
            read_labels(file)
        assert str(caught.value).endswith(problem)
    file.write_text('{"id": "a1", "label": "Right", "rater": "bea"}\n')
    labels = read_labels(file)
    assert (labels[0].rater, labels[0].label) == ("bea", "right")
    with pytest.raises(InputError, match="line 1: no answer 'a1' in this workspace"):
        judge_agreement(PREDICTIONS, labels)
    with pytest.raises(InputError, match="nothing to compare"):
        judge_agreement(PREDICTIONS)
