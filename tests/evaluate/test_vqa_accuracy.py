"""VQA accuracy is that of the official evaluator; its variants are those of other harnesses."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import official_vqa
import pytest

from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth, official_words

TEN = GroundTruth("trees", answers=("trees",) * 10)
ONE = GroundTruth("trees", answers=("trees",))
NUMBERS = {digits: word for word, digits in official_vqa.NUMBERS.items()}

# how models write an answer: what is made of the i-th of the answers that people gave
WAYS: Sequence[Callable[[str, Sequence[str]], str]] = (
    lambda answer, _: answer,
    lambda _, answers: answers[-1],
    lambda _, answers: min(answers, key=lambda answer: (answers.count(answer), answer)),
    lambda answer, _: answer.upper(),
    lambda answer, _: f"The {answer}.",
    lambda answer, _: f"  a {answer}!\n",
    lambda answer, _: answer.replace(" ", "-"),
    lambda answer, _: answer.replace(" ", " / "),
    lambda answer, _: answer.replace("'", ""),
    lambda answer, _: " ".join(NUMBERS.get(word, word) for word in answer.split()),
    lambda answer, _: " ".join(official_vqa.NUMBERS.get(word, word) for word in answer.split()),
    lambda answer, _: f'"{answer}", I think',
    lambda answer, _: f"{answer}\tor 1,000 (t-shirts)",
    lambda answer, _: f"it's {answer}",
    lambda answer, _: "." * 40 + answer,
    lambda _answer, _: "yes",
    lambda _answer, _: "",
)


@pytest.fixture(scope="module")
def questions(data: Path) -> list[tuple[str, ...]]:
    """What ten people answered to each of the development questions of OK-VQA."""
    with gzip.open(data / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [tuple(json.loads(line)["answers"]) for line in lines]


def predictions(questions: Sequence[tuple[str, ...]]) -> list[str]:
    """Return an answer to each question, each written in another way."""
    return [
        WAYS[number % len(WAYS)](answers[number % len(answers)], answers) for number, answers in enumerate(questions)
    ]


def official(text: str, answers: Sequence[str]) -> float:
    return official_vqa.question_accuracy(
        text, [{"answer_id": number, "answer": answer} for number, answer in enumerate(answers, 1)]
    )


def test_accuracy_is_that_of_the_official_evaluator(questions: list[tuple[str, ...]]) -> None:
    assert len(questions) == 2536
    given = predictions(questions)
    score = SCORE_RULES.require("vqa").score
    ours = [
        score(text, GroundTruth(answers[0], answers=answers)) for text, answers in zip(given, questions, strict=True)
    ]
    theirs = [official(text, answers) for text, answers in zip(given, questions, strict=True)]
    assert official_vqa.overall(theirs) == official_vqa.overall(ours)
    assert theirs == ours
    assert 20 < official_vqa.overall(theirs) < 80


def test_contractions_are_mended_as_by_the_official_evaluator() -> None:
    for short in official_vqa.CONTRACTIONS:
        assert official_words(short) == official_vqa.word_step(short)


# formats.md of the harnesses: measured with each of them
def test_the_same_answer_scores_as_in_each_harness() -> None:
    for text, ground_truth, scores in [
        ("trees", TEN, (100, 100, 100, 100)),
        ("Trees", TEN, (0, 100, 100, 0)),
        ("the trees.", TEN, (0, 100, 100, 0)),
        ("trees", ONE, (0, 0, 0, 33.3)),
        ("dog's", GroundTruth("dog's", answers=("dog 's",) * 10), (0, 100, 0, 0)),
    ]:
        rules = ("vqa", "vqa-lmms", "vqa-vlmevalkit", "aokvqa-da")
        measured = [100 * (SCORE_RULES.require(rule).score(text, ground_truth) or 0) for rule in rules]
        assert measured == pytest.approx(scores, abs=0.05), (text, ground_truth, scores)
