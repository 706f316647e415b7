"""The order in which questions are looked at: what is most doubtful first."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from planted_reviews import RUN, planted
from specimens import family, load

from kbe_graph.review.doubt import SIGNS, Signals, doubts, order, read_signals, signals_of
from kbe_graph.review.material import ReviewMaterial
from kbe_graph.review.question_version import question_version
from kbe_graph.review.state import question_states, reviewed_item
from kbe_graph.store import Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import RAW, Prediction, Review

FIRST = 60


def bad_first(seed: int) -> int:
    """Count the bad questions of a planted set among the first so many."""
    material, bad = planted(seed)
    signals = [each for each in signals_of(material) if not each.question.endswith("@raw/0")]
    return len(bad.keys() & set(order(signals)[:FIRST]))


def test_four_of_five_bad_questions_are_among_the_first_sixty_of_two_hundred():
    found = [bad_first(seed) for seed in range(8)]  # of 30 each; in any order there would be 9
    assert sum(found) / len(found) >= 24
    assert min(found) >= 21


def test_the_order_does_not_depend_on_that_of_the_reading():
    signals = signals_of(planted(number=60).material)
    assert order(random.Random(1).sample(signals, len(signals))) == order(signals)


@pytest.mark.parametrize(
    ("signals", "sign"),
    [
        (Signals("q", disputed=True), "reviewers differ"),
        (Signals("q", inspections=2, denials=1), "an inspector says no"),
        (Signals("q", guessed=1.0), "guessed without the picture"),
        (Signals("q", raw_guessed=1.0), "raw question guessed"),
        (Signals("q", models=3, failing=3), "all models fail it"),
        (Signals("q", models=5, item_rest=-0.5), "better models fail it"),
        (Signals("q", faulty=True), "a check found fault"),
        (Signals("q", unsourced=1), "a fact without a source"),
        (Signals("q", alternatives=1), "few other answers"),
    ],
)
def test_each_sign_puts_a_question_before_one_without(signals, sign):
    fine = Signals("a", False, 2, 0, 0.0, 0.0, 5, 2, 0.3, faulty=False, unsourced=0, alternatives=9)
    first, last = doubts([fine, signals])
    assert (first.question, first.signs[0], last.score, last.signs) == ("q", sign, 0, ())


def test_the_page_on_reviews_lists_all_signs():
    page = (Path(__file__).parents[2] / "docs" / "review.md").read_text()
    rows = [f"| {sign.name} | {sign.weight} | {sign.why} |" for sign in SIGNS]
    assert "\n".join(rows) in page


def test_two_models_alone_tell_nothing():
    assert doubts([Signals("q", models=2, failing=2, item_rest=-1.0)])[0].score == 0


def test_inspectors_that_agree_weigh_more_than_those_that_differ():
    assert order([Signals("a", inspections=2, denials=1), Signals("b", inspections=2, denials=2)]) == ["b", "a"]


def test_words_on_an_earlier_wording_do_not_count():
    material = planted(number=60).material
    asked = next(question for question in material.questions if question.run == RUN)
    reworded = [
        replace(question, text="Reworded?") if question is asked else question for question in material.questions
    ]
    (before,) = (each for each in signals_of(material) if each.question == asked.id)
    (after,) = (each for each in signals_of(material._replace(questions=reworded)) if each.question == asked.id)
    assert (before.inspections, after.inspections, after.guessed) == (2, 0, None)
    assert before.guessed is not None


def test_a_question_that_two_reviewers_differ_on_comes_first():
    evolved = family().question
    verdicts = (("Ann", "approve"), ("Bea", "reject"))
    reviews = [
        Review(f"{evolved.id}|{name}|0", evolved.id, question_version(evolved), name, "2026-11-27", 1, verdict)
        for name, verdict in verdicts
    ]
    states = question_states([reviewed_item(evolved)], reviews)
    (signals,) = signals_of(ReviewMaterial([evolved], {}, reviews, states))
    assert signals.disputed


def test_signals_are_read_from_what_is_stored(embedded_store: Store):
    load(embedded_store)
    kept = CandidateRow("taxonomic family", "Giraffidae", "wn30:1", "kept", faulty=True)
    evolved = family()._replace(candidates=(kept,))
    embedded_store.save_questions([evolved])
    id_ = evolved.question.id
    embedded_store.save_predictions(
        [Prediction(f"m{number}", id_, "no", verdict="wrong", judge="alias") for number in range(3)]
    )
    (signals,) = read_signals(embedded_store, run="first")
    assert signals == Signals(id_, False, 1, 1, 0.0, None, 3, 3, None, faulty=True, unsourced=0, alternatives=1)
    assert {each.question for each in read_signals(embedded_store)} == {
        raw.id for raw in embedded_store.questions(run=RAW)
    }
