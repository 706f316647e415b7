"""Decisions are taken: checked, and stored in one transaction with all that they cause."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from review_cases import FAMILY, FIRST, SECOND, decide, filled_desk, opened_desk, states_of, words_of

from kbe_graph.errors import InputError
from kbe_graph.facts.pack import read_verdicts
from kbe_graph.review.consequences import given_out
from kbe_graph.review.review_desk import ReviewDesk, new_review
from kbe_graph.review.state import made_question, read_items
from kbe_graph.store import Store
from kbe_graph.types import QuestionForm

GOOD = "Which family does this animal belong to?"


@pytest.fixture
def store(embedded_store: Store) -> Store:
    return embedded_store


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> ReviewDesk:
    return filled_desk(store, tmp_path)


def out(store: Store) -> dict[str, str]:
    """What is given out: the texts by first version."""
    return {id_: question.text for id_, question in given_out(read_items(store, run="first"), states_of(store)).items()}


def test_a_decision_stands_in_the_graph(desk: ReviewDesk, store: Store) -> None:
    review = decide(desk, FIRST, "approve", criteria=(("factual", "yes"),), reason="fine", seconds=4.5)
    assert store.reviews() == [review]
    assert (review.id, review.version, review.seconds) == (f"{FIRST}|Ana|0", desk.item(FIRST).version, 4.5)
    assert json.loads(review.before)["answer"] == "Giraffidae"
    assert decide(desk, FIRST, "reject").id == f"{FIRST}|Ana|1"
    assert words_of(store) == {FIRST: "rejected", SECOND: "open"}
    with pytest.raises(InputError, match=r"'Bo' has no decision on '.*' to undo"):
        decide(desk, FIRST, "undo", "Bo")


def test_a_decision_that_makes_no_sense_is_refused_and_nothing_is_written(desk: ReviewDesk, store: Store) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"verdict": "perhaps"}, "the verdict is 'perhaps'; it must be one of approve, reject"),
        ({"verdict": "rate"}, "the verdict is 'rate'"),
        ({"verdict": "revise"}, "the verdict 'revise' needs a new wording"),
        ({"revision": {"text": "Why?"}}, "the verdict 'revise' needs a new wording"),
        ({"reviewer": " "}, "the reviewer is ' '; give a name"),
        ({"reviewer": "a|b"}, "give a name without bars"),
        ({"reviewer": "A\x1b[2J"}, "reviewer .* contains a line break"),
        ({"version": "old"}, "has changed since it was shown"),
        ({"question": "x"}, "no question 'x' to review"),
        ({"criteria": (("size", "yes"),)}, "no criterion 'size'; available: factual, consistent"),
        ({"criteria": (("path", "often"),)}, "criterion 'path' is 'often'; give yes or no"),
        ({"options": (("x", "implausible"),)}, "no option 'x'; available: none"),
        ({"wrong_facts": ("x",)}, "can only be rejected"),
        ({"verdict": "reject", "wrong_facts": ("x",)}, "does not rest on triplet 'x'; its key has"),
        ({"seconds": -1}, "the seconds are -1"),
        ({"seconds": 1e17}, "the seconds are 1e\\+17; give a number from 0 to 86,400"),
        ({"reason": "x" * 5_000}, "the reason has 5,000 characters"),
        ({"verdict": "revise", "revision": {}}, "the revision of .* changes nothing"),
        ({"verdict": "revise", "revision": {"text": " "}}, "needs a text and an answer"),
        ({"verdict": "revise", "revision": {"text": "x" * 20_000}}, "over 10,000 characters"),
        ({"verdict": "revise", "revision": {"options": ["a", "b"]}}, "needs at least two options, including"),
    ]
    for change, message in rows:
        given = {"question": FIRST, "verdict": "approve", "reviewer": "Ana"} | change
        with pytest.raises(InputError, match=message):
            decide(desk, **given)
    assert store.reviews() == []


def test_a_revision_is_a_new_version_that_takes_the_place_of_the_old_one(desk: ReviewDesk, store: Store) -> None:
    review = decide(desk, FIRST, "revise", revision={"text": GOOD, "aliases": ["giraffids", "giraffes"]})
    version = made_question(review)
    made = desk.item(version).question
    assert (made.text, made.parent, made.status, made.provenance.maker) == (GOOD, FIRST, "revised", "Ana (review)")
    assert made.key == desk.item(FIRST).question.key
    assert [json.loads(each)["text"] for each in (review.before, review.after)] == [
        desk.item(FIRST).question.text,
        GOOD,
    ]
    assert out(store)[FIRST] == GOOD
    assert store.questions(run="first", hop=1) == [desk.item(FIRST).question]
    decide(desk, version, "revise", "Bo", revision={"text": "Which family does it belong to?"})
    assert words_of(store)[version] == "disputed"
    decide(desk, FIRST, "undo", "Ana")
    assert out(store)[FIRST] == desk.item(FIRST).question.text


def test_a_wording_that_a_check_refuses_stands_only_use_engine(desk: ReviewDesk, store: Store) -> None:
    leaking = {"text": "What is the family of the giraffe?"}
    with pytest.raises(
        InputError, match=r"refuses the new wording \(leak in the wording: giraffe\); change it, or insist on it"
    ):
        decide(desk, FIRST, "revise", "Ana", revision=leaking)
    assert store.reviews() == []
    review = decide(desk, FIRST, "revise", revision=leaking, insist=True)
    assert json.loads(review.after)["against"] == ["leak in the wording: giraffe"]


def test_options_are_part_of_the_version_and_of_a_revision(desk: ReviewDesk, store: Store) -> None:
    before = desk.item(FIRST).version
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Bovidae", "Giraffidae"), ("Giraffidae",))])
    assert desk.item(FIRST).version != before
    decide(desk, FIRST, "approve", "Ana", options=(("Bovidae", "implausible"),))
    options = ("Cervidae", "Giraffidae")
    review = decide(desk, FIRST, "revise", revision={"text": GOOD, "options": options})
    [form] = store.forms_of([made_question(review)])
    assert (form.text, form.options, form.answers) == (GOOD, options, ("Giraffidae",))
    assert desk.item(made_question(review)).options == options


def test_a_wrong_fact_takes_all_questions_on_it_along(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    assert desk.resting_on(SECOND, FAMILY) == [FIRST, SECOND]
    with pytest.raises(InputError, match="does not rest on triplet 'x'; its key has image"):
        desk.resting_on(FIRST, "x")
    wrong = new_review(SECOND, "reject", "Ana", wrong_facts=(FAMILY,))
    own, other = desk.decide(wrong)
    fact = ("wn30:02439033-n", "taxonomic family", "wn30:1")
    assert read_verdicts(tmp_path / "review.tsv")[fact].word == "wrong"
    assert store.reviews() == [other, own]
    assert (other.question, other.verdict, other.reason, other.wrong_facts) == (
        FIRST,
        "reject",
        "wrong fact: GIRAFFE taxonomic family GIRAFFIDAE",
        (FAMILY,),
    )
    assert len(desk.decide(wrong)) == 1
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        decide(opened_desk(store, tmp_path / "file"), SECOND, "reject", "Bo", wrong_facts=(FAMILY,))
    assert store.reviews(reviewer="Bo") == []


def test_two_desks_at_once_lose_no_decision(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    desks = desk, opened_desk(store, tmp_path)

    def give(number: int) -> str:
        return decide(desks[number % 2], (FIRST, SECOND)[number // 2 % 2], "approve", ("Ana", "Bo")[number % 3 % 2]).id

    with ThreadPoolExecutor(6) as pool:
        ids = [*pool.map(give, range(24))]
    assert len(set(ids)) == 24
    assert {review.id for review in store.reviews()} == set(ids)
