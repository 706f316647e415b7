"""Replies of models are read as a person reads them, by rules that never guess."""

import gzip
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


def test_271_replies_that_strangers_collected_are_read_nearly_as_they_read_them() -> None:
    """They were written and labelled without a look at the rules; what they say beyond the rules is mostly unread."""
    replies = list(labelled(FOLDER / "strangers_replies.jsonl"))
    with_options = Counter(ours(reply) for reply in replies if reply.options)
    outcomes = Counter(map(ours, replies))
    assert len(replies) == 271
    assert (outcomes["right"] >= 253, outcomes["wrong"] <= 13) == (True, True), outcomes
    assert with_options["wrong"] <= 1


SENTENCES = [
    ("What is the man riding?", "The man is riding a horse, as it seems.", "horse"),
    ("Does he wear a helmet?", "Yes, he wears a helmet.", "Yes"),
    ("Is the bus red or blue?", "The bus is red.", "red"),
    ("What is on the table?", "A vase with flowers is on the table.", "vase with flowers"),
    ("What tree is this?", "It isn't an oak, the leaves aren't lobed. It's a silver birch.", "silver birch"),
    ("How many birds are there?", "There are three birds in the picture.", "three"),
    ("How many dogs are there?", "There is one dog in the picture.", "one"),
    ("Which country is it?", "It is the United States.", "United States"),
    ("What street is this?", "This is Main Street.", "Main Street"),
    ("What does the sign say?", 'The sign says "No parking".', "No parking"),
    ("What number is on the bus?", "The number on the bus is 46. Sorry, let me correct that: 48.", "48"),
    ("What is it?", "It is not a dog.", ""),
    ("What is it?", "giraffe", ""),
    ("Why is he lying down?", "he is sick", ""),
]


@pytest.mark.parametrize(("question", "reply", "answer"), SENTENCES)
def test_a_sentence_is_read_as_what_it_says_beyond_the_question(question: str, reply: str, answer: str) -> None:
    read = read_reply(reply, question=question)
    assert read == (ReadAnswer(answer, "sentence") if answer else ReadAnswer(reply, "whole"))


@pytest.mark.parametrize("name", ["okvqa", "aokvqa"])
def test_what_people_answered_is_read_as_they_wrote_it(name: str, data: Path) -> None:
    changed = []
    with gzip.open(data / name / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            for answer in {*(record.get("answers") or record["direct_answers"])}:
                read = read_reply(answer, question=record["question"])
                if read.text != answer.strip():
                    changed.append((answer, read.rule))
    assert {rule for _, rule in changed} <= {"refused", "empty"}
    assert len(changed) <= 3, changed


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
    assert {*replies.values(), "auto", "sentence"} == set(READING_RULES)
    options = ("swan", "owl")
    assert [read_reply(reply, options).rule for reply in ("(B)", "an owl", "<answer>B</answer>")] == [
        "letter",
        "text",
        "answer-tag letter",
    ]


def test_a_rule_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"unknown reading rule 'best'; use auto, answer-tag, .*whole"):
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
