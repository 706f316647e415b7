"""Score rules: matches, and what holds for evolved questions."""

from dataclasses import replace

from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.types import IMAGE, WITH_OPTIONS, Entity, Question, Sample, Triplet

TREE = GroundTruth("trees", aliases=("woody plants",))


def test_an_evolved_question_is_scored_by_its_answer_and_aliases() -> None:
    for text, rules in [
        ("trees", "exact normalised alias relaxed mention vqa vqa-lmms vqa-vlmevalkit aokvqa-da"),
        ("Trees!", "normalised alias relaxed mention vqa-lmms vqa-vlmevalkit"),
        ("woody plants", "alias relaxed mention vqa vqa-lmms vqa-vlmevalkit aokvqa-da"),
        ("a woody plant", "alias relaxed mention"),
        ("They are trees", "alias relaxed mention"),
        ("They are trees and ferns", "mention"),
        ("a street of wood, no plants", ""),
        ("", ""),
    ]:
        scores = {name: rule.score(text, TREE) for name, rule in SCORE_RULES.items() if name != "aokvqa-mc"}
        assert set(scores.values()) <= {0.0, 1.0}, (text, rules)
        assert {name for name, score in scores.items() if score} == set(rules.split()), (text, rules)


def test_numbers_are_compared_as_numbers_and_signs_belong_to_their_answer() -> None:
    for text, name, right in [
        ("2 %", "2", 1), ("12,345", "12345", 1), ("0.50", "0.5", 1), ("= 293", "293", 1), ("−4", "-4", 1),
        ("-4", "4", 0), ("4", "-4", 0), ("It is -4 degrees", "It is 4 degrees", 0), ("1,2", "12", 0),
        ("x < 2", "x > 2", 0), ("x > 2", "x > 2", 1), ("C", "C#", 0), ("cowboy hat", "cowboy-hat", 1), ("1/2", "12", 0),
        ("Crème brûlée", "creme brulee", 1), ("Łódź", "Lodz", 1), ("$2000", "$2,000.00", 1), ("2000", "$2,000", 1),
        ("$2,000", "2000", 1), ("4 p.m.", "4 pm", 1),
        ("€5", "$5", 0), ("5km", "5.0 km", 1), ("5 m", "5 km", 0), ("50 percent", "50%", 1), (".5", "0.5", 1),
        ("+5", "5", 1),
        ("–5", "-5", 1), ("1e6", "1,000,000", 1), ("3 × 10⁸", "300000000", 1), ("10⁻³", "10³", 0), ("10²", "102", 0),
        ("1½", "1 1/2", 1), ("1½", "11/2", 0), ("A-", "A", 0), ("かぎ", "かき", 0), ("के", "की", 0),
        ("हाँ।", "हाँ", 1), ("ไทย", "ไท่ย", 0),
    ]:  # fmt: skip
        for rule in ("normalised", "alias"):
            assert SCORE_RULES.require(rule).score(text, GroundTruth(name)) == right, (rule, text, name)
        assert SCORE_RULES.require("mention").score(text, GroundTruth(name)) >= right, (text, name)
    for text, right in [("42.5%", 1), ("39.9", 1), ("44.2", 0), ("-42", 0), ("about 42", 0)]:
        assert SCORE_RULES.require("relaxed").score(text, GroundTruth("42")) == right, text
    for text, name in [("2", "two"), ("Two dogs", "2 dog"), ("twelve", "12"), ("the leaf", "leaves"), ("men", "man")]:
        assert SCORE_RULES.require("alias").score(text, GroundTruth("x", aliases=(name,))) == 1, (text, name)


def test_a_short_sentence_says_its_answer_and_nothing_else_ever() -> None:
    year, bird = GroundTruth("2002"), GroundTruth("cedar waxwing", ("Bombycilla cedrorum",))
    for text, truth, right in [
        ("In 2002", year, 1), ("It was 2002.", year, 1), ("I think it's in 2002", year, 1), ("2002 or 2003", year, 0),
        ("2002\nIt is on the sign.", year, 1), ("2002, which is on the sign", year, 1),
        ("2002, which is wrong", year, 0),
        ("2002, because it says so", year, 1), ("2002. It is on the sign.", year, 1), ("not 2002, as it is", year, 0),
        ("2002. It could be 2003.", year, 0), ("2002, as well as 2003", year, 0),
        ("It was 2002 or 2003", year, 0), ("Not in 2002", year, 0), ("It was not 2002", year, 0), ("in -2002", year, 0),
        ("It wasn't 2002", year, 0), ("I don't think it is 2002", year, 0), ("It was 12002", year, 0),
        ("It was 2002-2005", year, 0), ("In 2002 BC", year, 0), ("before 2002", year, 0), ("2002 (2003)", year, 0),
        ("Cedar Waxwing (Bombycilla cedrorum)", bird, 1), ("It's a cedar waxwing", bird, 1),
        ("cedar waxwing (not sure)", bird, 0), ("cedar waxwing (Bohemian waxwing)", bird, 0), ("It is", bird, 0),
    ]:  # fmt: skip
        assert SCORE_RULES.require("alias").score(text, truth) == right, text


def test_a_choice_is_right_or_wrong_to_the_letter() -> None:
    choices = GroundTruth("Bus", choices=("Car", "Bus", "Train", "Bike"))
    score = SCORE_RULES.require("aokvqa-mc").score
    assert [score(text, choices) for text in ("Bus", "bus", "Car")] == [1, 0, 0]
    assert score("trees", TREE) is None


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
