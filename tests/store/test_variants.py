"""Perturbed questions, in the graph, on every engine."""

from dataclasses import replace

import pytest
from specimens import SAMPLE

from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.store import Evolved, Store
from kbe_graph.types import RAW, Prediction, QuestionVariant, Sample, question_id

EVOLVED, OWN = question_id(SAMPLE.id, "first", 1), question_id(SAMPLE.id, RAW, 0)
PAD = QuestionVariant(OWN, "pad", 0, '[{"operation": "pad"}]', "What is it?", "a1.png")
AGAIN = replace(PAD, seed=1, image="b2.png")
WORDS = QuestionVariant(EVOLVED, "lead-in", 0, "[]", "Looking at the image ‘so’, what is it?")
REFUSED = QuestionVariant(OWN, "invert", 0, text="What is it?", status="refused", reason="a colour is asked for")
COUNT = "MATCH (v:Variant) RETURN count(v)"


@pytest.fixture
def full(full: Store) -> Store:
    full.save_variants([WORDS, AGAIN, PAD, REFUSED])
    return full


def test_variants_come_back_as_they_were_in_order(full: Store) -> None:
    assert full.variants(run="first") == [WORDS]
    assert full.variants(run=RAW) == [REFUSED, PAD, AGAIN]
    assert full.variants(run=RAW, operation="pad") == [PAD, AGAIN]
    assert full.variants(run=RAW, operation="noise") == []


def test_answers_to_what_a_variant_no_longer_is_go_and_others_stay(full: Store) -> None:
    answers = [Prediction("m", OWN, text, run, "pad") for text, run in (("a", 1), ("b", 2))]
    plain = Prediction("m", OWN, "c")
    full.save_predictions([*answers, plain])
    full.save_variants([PAD, AGAIN])  # the same once more
    assert full.predictions(run=RAW) == [plain, *answers]
    full.save_variants([replace(PAD, image="c3.png"), AGAIN])
    assert full.predictions(run=RAW) == [plain, answers[1]]
    full.save_variants([replace(AGAIN, status="rejected", reason="judge: the answer changed")])
    assert full.predictions(run=RAW) == [plain]


def test_a_question_without_a_graph_keeps_its_variants_when_it_is_asked_again(store: Store) -> None:
    sample = Sample("own/val/1", "own", "val", "What is it?", "giraffe", ("giraffe",))
    question = raw_question(sample)
    store.save_samples([sample])
    for _ in range(2):
        store.save_loaded([question])
        store.save_variants([QuestionVariant(question.id, "pad", 0, text=question.text, image="a1.png")])
        store.save_loaded([question])
        assert len(store.variants(run=RAW)) == 1
    store.save_questions([Evolved(replace(question, status="kept"))])
    assert len(store.variants(run=RAW)) == 1
    store.save_samples([replace(sample, question="Which animal is it?")])
    assert store.query_text(COUNT).rows == ((0,),)
