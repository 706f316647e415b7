"""What is learnt from reviews: each figure is that of a plain count."""

import tomllib
from collections import Counter
from dataclasses import replace
from statistics import median

import pytest
from planted_reviews import RUN, planted, reviewed

from kbe_graph.review.acceptance import block_list
from kbe_graph.review.material import ReviewMaterial
from kbe_graph.review.question_version import question_version
from kbe_graph.review.review_report import review_report
from kbe_graph.review.state import question_states, reviewed_item
from kbe_graph.statistics.rater_agreement import cohen_kappa
from kbe_graph.statistics.shares import wilson
from kbe_graph.types import Provenance, Question, Review


@pytest.fixture(scope="module")
def material() -> ReviewMaterial:
    return reviewed().material


@pytest.fixture(scope="module")
def report(material):
    return review_report(material)


def decisions(material) -> dict[str, str]:
    """The verdict on each question: Ann's, where Bea looked too theirs if they agree, else Cy's."""
    by_question = {}
    for review in material.reviews:
        by_question.setdefault(review.question, {})[review.reviewer] = review.verdict
    return {id_: own.get("Cy", own["Ann"]) for id_, own in by_question.items()}


def test_acceptance_by_relation_is_that_of_a_plain_count(material, report):
    verdicts = decisions(material)
    approved, counted = Counter(), Counter()
    for question in material.questions:
        if question.run == RUN:
            counted[question.key[-1].relation] += 1
            approved[question.key[-1].relation] += verdicts[question.id] == "approve"
    rows = {row.name: row for row in report.acceptance if row.by == "relation"}
    assert {name: (row.questions, row.approved) for name, row in rows.items()} == {
        name: (counted[name], approved[name]) for name in counted
    }
    assert all((row.share.low, row.share.high) == wilson(row.approved, row.questions) for row in rows.values())
    assert {(row.by, row.name): row.questions for row in report.acceptance if row.by in {"model", "prompt", "hop"}} == {
        ("hop", "hop 1"): 200,
        ("prompt", "write:1"): 100,
        ("model", "rule"): 100,
        ("model", "writer"): 100,
    }


def test_the_sum_counts_questions_reviewers_and_decisions(material, report):
    verdicts = Counter(decisions(material).values())
    counts = report.counts
    assert (counts.questions, counts.approved, counts.rejected) == (200, verdicts["approve"], verdicts["reject"])
    assert (counts.disputed, counts.revised, counts.reviewers) == (0, 0, 3)
    assert counts.decisions == len(material.reviews)
    assert counts.reviewed_per_kept == 200 / verdicts["approve"]


def test_a_third_who_settles_disputes_does_not_count_in_the_agreement(material, report):
    by_question = {}
    for review in material.reviews:
        by_question.setdefault(review.question, {})[review.reviewer] = review
    pairs = [(own["Ann"], own["Bea"]) for own in by_question.values() if "Bea" in own]
    rows = {(row.between, row.measure): row for row in report.agreement}
    assert rows["verdict", "percent"].items == len(pairs)
    assert rows["verdict", "percent"].value == sum(ann.verdict == bea.verdict for ann, bea in pairs) / len(pairs)
    opinions = [[dict(review.criteria)["factual"] for review in pair] for pair in pairs]
    assert rows["factual", "Cohen's kappa"].value == cohen_kappa(opinions).value
    assert {"alpha", "AC1"} <= {measure for _, measure in rows}


def test_time_and_blind_picks_are_those_of_a_plain_count(material, report):
    assert report.time.median == median(review.seconds for review in material.reviews)
    answers = {question.id: question.answer for question in material.questions}
    flagged = {review.question for review in material.reviews if review.options}
    picks = [(review.question, review.pick) for review in material.reviews]
    right = sum(answers[id_] == pick for id_, pick in picks)
    ambiguous = sum(pick == "another" and id_ in flagged for id_, pick in picks)
    assert report.picks.picks == len(picks)
    assert report.picks.right.value == right / len(picks)
    assert report.picks.ambiguous.value == ambiguous / len(picks) > 0


def test_an_inspectors_verdict_is_held_against_peoples(material, report):
    verdicts = decisions(material)
    no = {each.question for each in material.inspections if each.model == "inspector A" and "fact" in each.no}
    bad = {id_ for id_, verdict in verdicts.items() if verdict == "reject"}
    row = next(row for row in report.trust if row[:3] == ("inspector A", "fact", "not approved"))
    assert (row.questions, row.complaints, row.bad, row.hits) == (200, len(no), len(bad), len(no & bad))
    assert (row.precision.value, row.recall.value) == (len(no & bad) / len(no), len(no & bad) / len(bad))
    assert row.precision.low < row.precision.value < row.precision.high
    assert {row[:3] for row in report.trust} >= {
        ("guesser", "guessed", "not approved"),
        ("guesser", "guessed", "image"),
        ("inspector B", "fact", "factual"),
    }


def question(number: int, relation: str = "diet", **more) -> Question:
    asked = planted(number=30).material.questions[-1]
    key = (asked.key[0], replace(asked.key[1], relation=relation))
    return replace(asked, id=f"b/s/{number}@r/1", key=key, **more)


def decided(number: int, verdict: str, reviewer: str = "Ann", relation: str = "diet", **more) -> Review:
    asked = question(number, relation)
    time = f"2026-11-27T10:00:{number:02}Z"
    id_ = f"{asked.id}|{reviewer}|0"
    return Review(id_, asked.id, question_version(asked), reviewer, time, 0, verdict, **more)


def report_of(questions, reviews, **options):
    states = question_states(map(reviewed_item, questions), reviews)
    return review_report(ReviewMaterial(questions, {}, reviews, states), **options)


def test_a_relation_is_proposed_for_the_block_list_only_where_it_surely_fails():
    questions = [question(number, "diet" if number < 8 else "colour") for number in range(13)]
    reviews = [decided(number, "reject") for number in range(8)]
    reviews += [decided(number, "reject", relation="colour") for number in range(8, 13)]
    report = report_of(questions, reviews)
    assert [(each.relation, each.questions, each.approved) for each in report.relations] == [("diet", 8, 0)]
    both = {"diet", "colour"}
    assert [each.relation for each in block_list(report.acceptance, both, limit=0.5, least=5)] == ["diet", "colour"]
    assert not block_list(report.acceptance, both, limit=0.3, least=5)


def test_the_block_list_has_what_is_blocked_already_and_nothing_that_no_hop_added():
    questions = [question(number) for number in range(8)]
    reviews = [decided(number, "reject") for number in range(8)]
    assert report_of(questions, reviews).block_list_lines() == ["[filters]", 'blocked_relations = ["diet"]']
    (line,) = report_of(questions, reviews, blocked=['a "b"', "Z"]).block_list_lines()
    assert tomllib.loads(line) == {"blocked_relations": ["Z", 'a "b"', "diet"]}
    assert report_of(questions, reviews, blocked=["Diet"]).block_list_lines() == []
    raw = [replace(each, kind="raw", hop=0) for each in questions]
    assert report_of(raw, reviews).block_list_lines() == []


def test_rejected_questions_of_a_prompt_are_examples_with_their_reasons():
    made = Provenance("writer", prompt="write:2")
    questions = [question(number, provenance=made) for number in range(3)]
    reviews = [
        decided(0, "reject", reason="a pun", criteria=(("worth", "no"), ("path", "yes"))),
        decided(1, "reject"),
        decided(2, "approve", reason="fine"),
    ]
    (example,) = report_of(questions, reviews).examples
    assert example[:2] == ("write:2", questions[0].id)
    assert (example.reasons, example.criteria) == (("a pun",), ("worth",))


def test_few_reviews_are_told_without_intervals_and_none_without_an_error():
    empty = report_of([question(0)], [])
    assert (empty.counts.questions, empty.counts.reviewed_per_kept, empty.time, empty.picks) == (0, None, None, None)
    assert not empty.acceptance + empty.agreement + empty.trust + empty.relations + empty.examples
    few = [decided(number, "approve", reviewer) for number in range(2) for reviewer in ("Ann", "Bea")]
    report = report_of([question(0), question(1)], few)
    assert {row.share[1:4] for row in report.acceptance} == {(1.0, None, None)}
    assert {(row.low, row.high) for row in report.agreement} == {(None, None)}
    assert report.as_mapping()["counts"]["approved"] == 2


def test_what_was_taken_back_does_not_count():
    undo = replace(decided(0, "undo"), id=f"{question(0).id}|Ann|1", time="2026-11-27T11:00:00Z")
    assert report_of([question(0)], [decided(0, "reject"), undo]).counts.questions == 0
