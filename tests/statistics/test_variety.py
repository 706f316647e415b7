"""What the explored questions of a run are like as a set."""

import math
from dataclasses import replace

import pytest
from specimens import family

from kbe_graph.statistics.question_statistics import hop_varieties
from kbe_graph.types import Entity, Question, question_id

RAW_COUNT = 10


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


def reselected(number: int, *, status: str = "kept") -> Question:
    question, sample = family().question, f"own/val/{number}"
    return replace(
        question, id=question_id(sample, "r", 0), sample=sample, hop=0, kind="reselected", status=status, parent=""
    )


def test_a_set_of_one_kind_of_question_is_told_from_a_varied_one() -> None:
    alike = [explored(number, "family", "bears") for number in range(4)]
    varied = [explored(number, f"relation {number}", f"answer {number}") for number in range(4)]
    (one,), (four,) = (hop_varieties(questions, raw=RAW_COUNT) for questions in (alike, varied))
    assert (one.relations, one.effective_relations, one.largest_relation) == (1, 1.0, 1.0)
    assert (one.chains, one.answers, one.texts) == (1, 1, 1)
    assert (four.relations, four.largest_chain, four.texts) == (4, 0.25, 4)
    assert four.effective_answers == pytest.approx(4)
    assert (four.samples, four.share) == (4, 0.4)


def test_the_effective_number_is_exp_of_the_entropy() -> None:
    questions = [explored(number, "family" if number < 3 else "origin", str(number)) for number in range(4)]
    [row] = hop_varieties(questions, raw=RAW_COUNT)
    assert row.effective_relations == pytest.approx(math.exp(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25))))


def test_a_chain_is_rooted_in_the_raw_question_or_in_a_kept_re_selected_one() -> None:
    questions = [
        explored(1, "family", "a"),
        explored(2, "family", "b", parent=question_id("own/val/2", "r", 0)),
        explored(3, "family", "c", parent=question_id("own/val/3", "r", 0)),
        reselected(2),
        reselected(3, status="dropped"),
    ]
    [row] = hop_varieties(questions, raw=RAW_COUNT)
    assert (row.from_raw, row.from_reselected) == (1, 1)
    assert row.rooted == pytest.approx(2 / 3)


def test_names_of_the_path_do_not_make_texts_differ() -> None:
    subject = family().question.key[-1].subject.name
    texts = [f"What do {subject}s eat?", f"What do {subject} eat?", "What do the horses of this image eat?"]
    questions = [explored(number, "food", "grass", text=text) for number, text in enumerate(texts)]
    [row] = hop_varieties(questions, raw=RAW_COUNT)
    assert row.texts == 2


def test_what_goes_through_an_unsourced_fact_is_counted() -> None:
    told, sourced = explored(1, "family", "a"), explored(2, "family", "b")
    unsourced = replace(told, key=(*told.key[:-1], replace(told.key[-1], source="unsourced")))
    assert [row.unsourced for row in hop_varieties([unsourced, sourced], raw=RAW_COUNT)] == [1]


def test_dropped_questions_do_not_count() -> None:
    dropped = replace(explored(1, "family", "a"), status="dropped", reason="leak")
    assert hop_varieties([dropped], raw=RAW_COUNT) == []
