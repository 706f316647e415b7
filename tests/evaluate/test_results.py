"""The figures of an evaluation, of scripted models of known skill and of answers reckoned by hand."""

import json

import pytest
from simulated_answers import answer_row, answers_of, simulated_answers

from kbe_graph.errors import InputError
from kbe_graph.figures.accuracy import UNCOUNTED, UNSCORED, scored_rows
from kbe_graph.figures.results import Results, results
from kbe_graph.types import Question, Sample

SKILLS = {"best": 0.90, "good": 0.80, "fair": 0.70, "weak": 0.60, "worst": 0.50}


@pytest.fixture(scope="module")
def five() -> Results:
    """Five models of known skill, ten points apart, at 600 questions: 150 samples, raw and three hops of ten points."""
    return results(simulated_answers(SKILLS, samples=150, drop=0.1, seed=4))


@pytest.fixture(scope="module")
def twice() -> Results:
    """One model asked twice, with its picture and without."""
    return results(simulated_answers({"llava": 0.7}, samples=80, hops=2, runs=2, variants={"blind": 0.3}, seed=1))


def test_five_models_come_back_in_their_order_at_every_row(five: Results) -> None:
    rows = [row for row in five.accuracy if row.samples == "all"]
    for name in ("raw", "hop 1", "hop 2", "hop 3"):
        shares = {row.model: row.accuracy for row in rows if row.row == name}
        assert sorted(shares, key=lambda model: -shares[model]) == list(SKILLS)


def test_the_intervals_hold_the_known_figures(five: Results) -> None:
    rows = [row for row in five.accuracy if row.samples == "all"]
    assert (len(rows), rows[0].questions, rows[0].images) == (20, 150, 75)
    truth = [SKILLS[row.model] - 0.1 * (0 if row.row == "raw" else int(row.row[-1])) for row in rows]
    assert sum(row.low <= share <= row.high for row, share in zip(rows, truth, strict=True)) >= 18
    gaps = [SKILLS[row.after] - SKILLS[row.before] for row in five.models]
    held = [row.figures.low <= gap <= row.figures.high for row, gap in zip(five.models, gaps, strict=True)]
    assert (len(held), sum(held) >= 36) == (40, True)
    hops = [row for row in five.hops if row.samples == "all"]
    steps = {"raw": 0, "hop 1": 1, "hop 2": 2, "hop 3": 3}
    held = [row.figures.low <= -0.1 * (steps[row.after] - steps[row.before]) <= row.figures.high for row in hops]
    assert (len(held), sum(held) >= 22) == (25, True)
    assert all(row.figures.p <= row.holm for row in hops)
    trends = [row for row in five.trends if row["samples"] == "all"]
    assert [row["low"] <= -0.1 <= row["high"] for row in trends].count(True) >= 4
    assert all(row["p"] < 0.001 for row in trends)
    assert all(0 < row["low"] < row["correlation"] < row["high"] for row in five.difficulty)
    row = next(row for row in five.power if row.items() >= {"model": "fair", "before": "raw", "after": "hop 1"}.items())
    assert 0.05 < row["detectable"] < 0.25
    assert 2000 < row["needed"] < row["needed_unpaired"] * 2
    mapping = five.as_mapping()
    assert json.loads(json.dumps(mapping, allow_nan=False)) == mapping


def test_the_gain_from_the_picture_is_told_by_shape_and_depth(twice: Results) -> None:
    assert [(row["shape"], row["depth"]) for row in twice.gain] == [("path", "4"), ("path", "5"), ("raw", "3")]
    for row in twice.gain:
        assert row["gain"] == pytest.approx(row["with"] - row["without"])
        assert row["low"] < 0.3 < row["high"]


def test_results_depend_on_the_seed_alone() -> None:
    answers = simulated_answers({"llava": 0.6}, samples=40, hops=1)
    shuffled = answers.sample(frac=1, random_state=3)
    assert results(answers).as_mapping() == results(shuffled).as_mapping()
    assert results(answers).hops != results(answers, seed=1).hops


def test_a_model_asked_twice_counts_by_its_mean_and_tells_its_spread(twice: Results) -> None:
    row = twice.accuracy[0]
    assert (row.variant, row.row, row.runs, row.questions) == ("blind", "raw", 2, 80)
    assert row.spread is not None
    assert 0 <= row.spread < 0.2
    assert row.unsteady is not None
    assert 0.3 < row.unsteady < 0.6
    pairs = [(row.row, row.before, row.after) for row in twice.variants]
    assert pairs == [(row, "image", "blind") for row in ("raw", "hop 1", "hop 2")]


def reselected() -> Results:
    """Sample 0 was re-selected, sample 1 was not and ends at hop 1; sample 2 has its hop 1 judged by nobody."""
    return results(
        answers_of(
            [
                answer_row(sample=0, right=True),
                answer_row(sample=0, kind="reselected", right=False),
                answer_row(sample=0, hop=1, right=True),
                answer_row(sample=0, hop=2, right=True),
                answer_row(sample=1, right=True),
                answer_row(sample=1, hop=1, right=False),
                answer_row(sample=2, right=False),
                answer_row(sample=2, hop=1, right=None, text=" "),
            ]
        )
    )


def test_a_hop_is_compared_with_raw_and_with_the_row_before_it() -> None:
    pairs = [(row.before, row.after, row.figures.pairs) for row in reselected().hops if row.samples == "all"]
    assert pairs == [
        ("raw", "re-selected", 1),
        ("raw", "hop 1", 2),
        ("raw", "hop 2", 1),
        ("re-selected", "hop 1", 1),
        ("hop 1", "hop 2", 1),
    ]


def test_a_first_hop_grew_from_the_question_that_was_reselected() -> None:
    figures = reselected()
    assert [(row["question"], row["earlier_row"]) for row in figures.right_after_wrong] == [
        ("okvqa/val/0@seed-0/1", "re-selected")
    ]
    chains = [(row["row"], row["earlier"], row["questions"], row["right"]) for row in figures.chains]
    assert chains == [("hop 1", "right", 1, 0.0), ("hop 1", "wrong", 1, 1.0), ("hop 2", "right", 1, 1.0)]
    level = [(row.row, row.questions) for row in figures.accuracy if row.samples == "balanced"]
    assert level == [("raw", 1), ("re-selected", 1), ("hop 1", 1), ("hop 2", 1)]
    errors = [(row["by"], row["name"], row["questions"], row["wrong"]) for row in figures.errors]
    assert errors == [("relation", "habitat", 2, 0.5), ("relation", "colour", 1, 0.0), ("source", "pack", 3, 1 / 3)]
    row = next(row for row in figures.answered if row["row"] == "hop 1")
    assert (row["questions"], row["asked"], row["answered"], row["judged"]) == (3, 3, 2, 2)
    assert next(row.accuracy for row in figures.accuracy if row.row == "hop 1") == 0.5


def test_questions_of_two_runs_are_refused() -> None:
    answers = answers_of([answer_row(hop=1), answer_row(sample=1, hop=1, evolution="seed-1")])
    with pytest.raises(InputError, match=r"2 runs: 'seed-0', 'seed-1'; name the run"):
        results(answers)
    assert all(rows == [] for rows in results(answers_of([])).as_mapping().values())


def test_beside_an_accuracy_stands_how_many_questions_were_scored_and_why_the_others_were_not() -> None:
    """Of ten questions four are answered, three replies have no answer, one is not judged, and two have no reply."""
    samples = {each.id: each for each in (Sample(f"okvqa/val/{n}", "okvqa", "val", "What?", "dog") for n in range(10))}
    questions = [Question(f"{id_}@raw/0", id_, "raw", 0, "raw", "What?", "dog", ()) for id_ in samples]
    answers = answers_of(
        [
            *(answer_row(sample=number, right=number < 3) for number in range(4)),
            answer_row(sample=4, right=False, text="", read_by="refused"),
            *(answer_row(sample=number, right=False, text="", read_by="cut") for number in (5, 6)),
            answer_row(sample=7, right=None),
        ]
    )
    (row,) = scored_rows(answers, questions, samples)
    assert (row["scored"], row["questions"]) == (4, 10)
    counts = {name: row[name] for name in (*UNCOUNTED, *UNSCORED) if row[name]}
    assert counts == {"no_prediction": 2, "refused": 1, "cut": 2, "not_judged": 1}
    assert (row["accuracy"], row["without_cut"]) == pytest.approx((3 / 7, 3 / 5))
    (row,) = scored_rows(answers_of([answer_row(right=False, text="", read_by="cut")]), questions, samples)
    assert (row["accuracy"], row["without_cut"]) == (0, None)
    first = [answer_row(sample=number, right=number < 2) for number in range(3)]
    second = [answer_row(sample=number, run=2, right=False, text="", read_by="cut") for number in range(3)]
    (row,) = scored_rows(answers_of([*first, *second]), questions, samples)
    assert (row["accuracy"], row["without_cut"]) == pytest.approx((1 / 3, 2 / 3))
