"""Score rules: matches, and what holds for evolved questions."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kbe_graph.errors import InputError
from kbe_graph.evaluate.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.types import IMAGE, WITH_OPTIONS, Entity, Question, Sample, Triplet

TREE = GroundTruth("trees", aliases=("woody plants",))


def test_an_evolved_question_is_scored_by_its_answer_and_aliases() -> None:
    for text, rules in [
        ("trees", "exact normalised alias mention vqa vqa-lmms vqa-vlmevalkit vqa-stem aokvqa-da"),
        ("Trees!", "normalised alias mention vqa-lmms vqa-vlmevalkit vqa-stem"),
        ("tree", "alias mention vqa-stem"),
        ("woody plants", "alias mention vqa vqa-lmms vqa-vlmevalkit vqa-stem aokvqa-da"),
        ("a woody plant", "alias mention vqa-stem"),
        ("They are trees", "mention"),
        ("a street of wood, no plants", ""),
        ("", ""),
    ]:
        scores = {name: rule.score(text, TREE) for name, rule in SCORE_RULES.items() if name != "aokvqa-mc"}
        assert set(scores.values()) <= {0.0, 1.0}, (text, rules)
        assert {name for name, score in scores.items() if score} == set(rules.split()), (text, rules)


def test_number_and_digits_do_not_count_for_the_alias_match() -> None:
    for text, name in [("2", "two"), ("Two dogs", "2 dog"), ("twelve", "12"), ("the leaf", "leaves"), ("men", "man")]:
        assert SCORE_RULES.require("alias").score(text, GroundTruth("x", aliases=(name,))) == 1, (text, name)


def test_numbers_are_compared_as_numbers_and_signs_belong_to_their_answer() -> None:
    for text, name, right in [
        ("2 %", "2", 1), ("12,345", "12345", 1), ("0.50", "0.5", 1), ("= 293", "293", 1), ("−4", "-4", 1),
        ("-4", "4", 0), ("4", "-4", 0), ("It is -4 degrees", "It is 4 degrees", 0), ("1,2", "12", 0),
        ("x < 2", "x > 2", 0), ("x > 2", "x > 2", 1), ("C", "C#", 0), ("cowboy hat", "cowboy-hat", 1), ("1/2", "12", 0),
    ]:  # fmt: skip
        for rule in ("normalised", "alias"):
            assert SCORE_RULES.require(rule).score(text, GroundTruth(name)) == right, (rule, text, name)


def test_accents_do_not_count_where_answers_are_normalised() -> None:
    brulee = GroundTruth("creme brulee")
    assert [
        SCORE_RULES.require(name).score("Crème brûlée", brulee) for name in ("exact", "normalised", "vqa-lmms")
    ] == [0, 1, 0]


def test_a_choice_is_right_or_wrong_to_the_letter() -> None:
    choices = GroundTruth("Bus", choices=("Car", "Bus", "Train", "Bike"))
    score = SCORE_RULES.require("aokvqa-mc").score
    assert [score(text, choices) for text in ("Bus", "bus", "Car")] == [1, 0, 0]
    assert score("trees", TREE) is None


def test_a_rule_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"unknown score rule 'vqa2'; use .*exact, normalised, alias, mention, vqa"):
        SCORE_RULES.require("vqa2")


def test_peoples_answers_count_for_the_raw_question_alone() -> None:
    sample = Sample(
        "okvqa/val/1", "okvqa", "val", "What?", "dog", answers=("dog",) * 9 + ("cat",), choices=("dog", "cat")
    )
    key = (Triplet(IMAGE, "shows", Entity("DOG"), "visual"),)
    raw = Question("okvqa/val/1@raw/0", sample.id, "raw", 0, "raw", "What?", "dog", key, aliases=("cat",))
    explored = Question("okvqa/val/1@seed-0/1", sample.id, "seed-0", 1, "explored", "Which?", "wolf", key)
    assert ground_truth(raw, sample) == GroundTruth("dog", ("cat",), sample.answers, choices=("dog", "cat"))
    assert ground_truth(explored, sample) == GroundTruth("wolf")


def test_asked_with_its_choices_a_question_has_the_right_choice_as_its_answer() -> None:
    people = ("summer",) * 5 + ("winter",) * 3 + ("fall", "spring")
    choices = ("fall", "summer", "spring", "winter")
    before = Sample("aokvqa/val/1", "aokvqa", "val", "Which season?", "fall", people, choices=choices)
    sample = replace(before, answer="summer", choice="fall")
    key = (Triplet(IMAGE, "shows", Entity("SUMMER"), "visual"),)
    raw = Question("aokvqa/val/1@raw/0", sample.id, "raw", 0, "raw", sample.question, "summer", key)
    told_before = replace(raw, answer="fall", aliases=("summer", "winter"))
    for variant in WITH_OPTIONS:
        assert ground_truth(raw, sample, variant) == ground_truth(told_before, before, variant)
    truth = ground_truth(raw, sample)
    assert (truth.names, truth.answers) == (("summer", "winter", "fall"), people)
    assert [SCORE_RULES.require("aokvqa-mc").score(text, truth) for text in ("fall", "summer")] == [1, 0]


def test_one_answer_in_the_file_is_no_ten_people() -> None:
    sample = Sample("fvqa/all/1", "fvqa", "all", "What?", "dog", answers=("dog",))
    key = (Triplet(IMAGE, "shows", Entity("DOG"), "visual"),)
    raw = Question("fvqa/all/1@raw/0", sample.id, "raw", 0, "raw", "What?", "dog", key)
    assert SCORE_RULES.require("vqa").score("dog", ground_truth(raw, sample)) == 1


ADDED = """
from kbe_graph.evaluate.prediction_files import PREDICTION_FORMATS
from kbe_graph.evaluate.score_rules import SCORE_RULES
print(set(SCORE_RULES) - set(SCORE_RULES.own), set(PREDICTION_FORMATS) - set(PREDICTION_FORMATS.own))
"""


def test_other_packages_add_rules_and_formats_of_predictions(tmp_path: Path) -> None:
    (tmp_path / "more.py").write_text(
        "from kbe_graph.evaluate.prediction_formats import FORMATS\n"
        "from kbe_graph.evaluate.score_rules import SCORE_RULES\n"
        "RULE = SCORE_RULES['exact']\nTABLE = FORMATS['table']\n"
    )
    info = tmp_path / "more-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[kbe_graph.score_rules]\nsame = more:RULE\n[kbe_graph.prediction_formats]\nmine = more:TABLE\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    code = [sys.executable, "-c", ADDED]
    done = subprocess.run(code, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": paths})
    assert done.stdout.strip() == "{'same'} {'mine'}"


def test_a_number_is_not_mentioned_by_its_opposite() -> None:
    for text, answer, score in [("The answer is 4.", "-4", 0), ("It is -4 degrees", "−4", 1), ("It is -4.", "4", 0)]:
        assert SCORE_RULES.require("mention").score(text, GroundTruth(answer)) == score, (text, answer)
