"""What the explored questions of a run are like as a set."""

import math
from dataclasses import replace

import pytest
from specimens import family

from kbe_graph.statistics.question_statistics import variety
from kbe_graph.types import Entity, Question, question_id


def explored(number: int, relation: str, answer: str, *, text: str = "", parent: str = "") -> Question:
    """A kept question of hop 1 of a sample of its own."""
    question, sample = family().question, f"own/val/{number}"
    *root, last = question.key
    key = (*root, replace(last, relation=relation, object=Entity(answer)))
    return replace(
        question,
        id=question_id(sample, "r", 1),
        sample=sample,
        run="r",
        key=key,
        answer=answer,
        text=text or f"What is the {relation} of the {last.subject.name}?",
        parent=parent or question_id(sample, "raw", 0),
    )


def test_a_set_of_one_kind_of_question_is_told_from_a_varied_one() -> None:
    raw = [replace(family().question, sample=f"own/val/{number}", hop=0, kind="raw") for number in range(10)]
    alike = [explored(number, "family", "bears") for number in range(4)]
    varied = [explored(number, f"relation {number}", f"answer {number}") for number in range(4)]
    (one,), (four,) = (variety([*raw, *questions]).to_dict("records") for questions in (alike, varied))
    assert (one["relations"], one["effective relations"], one["largest relation"]) == (1, 1.0, 1.0)
    assert (one["chains"], one["answers"]) == (1, 1)
    assert (four["relations"], four["largest chain"]) == (4, 0.25)
    assert four["effective answers"] == pytest.approx(4)
    assert (four["benchmark"], four["hop"], four["samples"], four["share"]) == ("own", 1, 4, 0.4)


def test_the_effective_number_is_exp_of_the_entropy() -> None:
    questions = [explored(number, "family" if number < 3 else "origin", str(number)) for number in range(4)]
    (row,) = variety(questions).to_dict("records")
    entropy = 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    assert row["effective relations"] == pytest.approx(math.exp(-entropy))


def test_what_goes_through_an_unsourced_fact_is_counted_and_what_was_dropped_is_not() -> None:
    told, sourced = explored(1, "family", "a"), explored(2, "family", "b")
    unsourced = replace(told, key=(*told.key[:-1], replace(told.key[-1], source="unsourced")))
    assert variety([unsourced, sourced])["unsourced"].tolist() == [1]
    assert variety([replace(told, status="dropped", reason="leak")]).empty
