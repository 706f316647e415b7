"""Replies of models are read as a person reads them, by rules that never guess."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from benches import bench

from kbe_graph.errors import InputError
from kbe_graph.evaluate.reply_reading import READING_RULES, ReadAnswer, read_reply

FOLDER = Path(__file__).parent
REPLIES = bench("replies")
labelled, ours = REPLIES.labelled, REPLIES.ours
CASES = Path(os.environ.get("KBE_DATA", "")) / "cases"


def test_400_replies_in_20_dresses_are_read_as_a_person_reads_them() -> None:
    replies = list(labelled(FOLDER / "replies.jsonl"))
    outcomes = Counter(map(ours, replies))
    assert len(replies) == 400
    assert set(Counter(reply.dress for reply in replies).values()) == {20}
    assert outcomes["right"] >= 392
    assert outcomes["wrong"] == 0


def test_160_more_replies_are_read_as_a_person_reads_them() -> None:
    outcomes = Counter(map(ours, labelled(FOLDER / "more_replies.jsonl")))
    assert outcomes["right"] >= 157
    assert outcomes["wrong"] == 0


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("The answer is: a giraffe.", "a giraffe"),
        ("It is tall.\n**Answer:** giraffe", "giraffe"),
        ('Final answer: "giraffe"', "giraffe"),
        ("ANSWER: cat\nNo, wait.\nANSWER: dog\n", "dog"),
        ("giraffe", ""),
        ("The answer? A giraffe", ""),
        ("Answer:", ""),
        ("", ""),
    ],
)
def test_the_final_answer_is_what_the_reply_states(reply: str, answer: str) -> None:
    assert read_reply(reply, rule="final-answer").text == answer


def test_the_whole_reply_is_taken_where_one_asks_for_it() -> None:
    reply = "<think>tall</think> The answer is: a giraffe."
    assert read_reply(reply, rule="whole") == ReadAnswer(reply, "whole")


def test_each_answer_has_the_name_of_the_rule_that_read_it() -> None:
    replies = {
        "<answer>owl</answer>": "answer-tag",
        r"\boxed{owl}": "boxed",
        '{"answer": "owl"}': "json",
        "Final answer: owl.": "final-answer",
        "**owl**": "bold",
        "owl": "whole",
    }
    assert {reply: read_reply(reply) for reply in replies} == {
        reply: ReadAnswer("owl", rule) for reply, rule in replies.items()
    }
    assert {*replies.values(), "auto"} == set(READING_RULES)
    options = ("swan", "owl")
    assert [read_reply(reply, options).rule for reply in ("(B)", "an owl", "<answer>B</answer>")] == [
        "letter",
        "text",
        "answer-tag letter",
    ]


def test_a_rule_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"reading rule 'best' is not known; use auto, answer-tag, .*whole"):
        read_reply("owl", rule="best")


def test_hostile_replies_are_read_at_once() -> None:
    for part in ("<think>", "<|channel|>final", "{", "<answer>", "final ", r"\boxed{", "answer is not ", "(A) ", "*"):
        for options in ((), ("swan", "owl")):
            read_reply(part * (20_000 // len(part)), options)


@pytest.mark.skipif(not CASES.is_dir(), reason="KBE_DATA names no folder of cases")
def test_the_replies_of_the_cases_are_read() -> None:
    lines = (CASES / "16-thinking-replies" / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    replies = {row["name"]: read_reply(row["reply"]) for row in map(json.loads, lines)}
    unclosed = replies.pop("unclosed")
    assert unclosed == ReadAnswer("", "unread")
    assert {answer.text.lower() for answer in replies.values()} == {"square"}


@pytest.mark.skipif(not CASES.is_dir(), reason="KBE_DATA names no folder of cases")
def test_the_letters_of_the_cases_are_read() -> None:
    options = {"A": "circle", "B": "square", "C": "star", "D": "moon", "none": ""}
    lines = (CASES / "18-choice-letters" / "letters.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    answers = [read_reply(row["reply"], [*options.values()][:4]).text for row in rows]
    assert answers == [options[row["right"]] for row in rows]
