"""Replies of real models: each ends as the right structure or refusal (labels: tests/data/reply_labels.tsv)."""

from pathlib import Path

import pytest
from reply_cases import Context, outcome, read_replies

LABELS = Path(__file__).parents[1] / "data" / "reply_labels.tsv"
WELL_FORMED = ("representative", "judge")


def labels() -> list[str]:
    lines = LABELS.read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t")[1] for line in lines]


def test_broken_replies_end_as_the_right_structure_or_the_right_refusal() -> None:
    replies = read_replies("messy_outputs")
    context = Context(replies)
    outcomes = [outcome(reply, context) for reply in replies]
    expected = labels()
    assert len(replies) == len(expected) == 353
    right = sum(got == label for got, label in zip(outcomes, expected, strict=True))
    assert right / len(expected) >= 0.95


def test_no_broken_reply_gives_triplets_where_it_should_be_refused() -> None:
    replies = read_replies("messy_outputs")
    context = Context(replies)
    wrong = [
        place
        for place, (reply, expected) in enumerate(zip(replies, labels(), strict=True))
        if not expected.startswith("ok") and outcome(reply, context).startswith("ok")
    ]
    assert wrong == []


def test_the_size_of_each_structure_is_right() -> None:
    replies = read_replies("messy_outputs")
    context = Context(replies)
    outcomes = {place: outcome(reply, context) for place, reply in enumerate(replies)}
    expected = {place: label for place, label in enumerate(labels()) if label.startswith("ok")}
    assert {place: outcomes[place] for place in expected} == expected


@pytest.mark.parametrize("kind", WELL_FORMED)
def test_well_formed_verdicts_are_read(kind: str) -> None:
    context = Context(read_replies("messy_outputs"))
    replies = [reply for reply in read_replies("outputs") if reply["kind"] == kind and reply["tags"] == ["canonical"]]
    assert len(replies) > 30
    assert [reply["out"] for reply in replies if not outcome(reply, context).startswith("ok")] == []


def test_triplets_of_well_formed_replies_are_read() -> None:
    messy = read_replies("messy_outputs")
    context = Context(messy)
    questions = {reply["sample"]: (reply["question"], reply["answer"]) for reply in messy}
    replies = [
        reply for reply in read_replies("outputs") if reply["tags"] == ["canonical"] and reply["kind"] == "extract"
    ]
    read = []
    for reply in replies:
        reply["question"], reply["answer"] = questions[reply["sample"]]
        read.append(outcome(reply, context))
    # the example carried over; a textual triplet that is visual too; two whole ones; a bowl in the shape of a bowl
    assert sorted(read) == ["invalid", "ok:2+0", "ok:2+1", "ok:6+4"]
