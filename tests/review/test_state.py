"""The state of a question by the decisions on it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from review_cases import a_question, decision

from kbe_graph.errors import InputError
from kbe_graph.review.question_version import question_version
from kbe_graph.review.state import (
    Overlap,
    QuestionState,
    first_version,
    question_states,
    reviewed_item,
    waiting_for,
)
from kbe_graph.types import Review, sample_of_question

ITEM = reviewed_item(a_question(), ("Giraffidae", "Bovidae"))
ID = ITEM.question.id


def state(given: Sequence[tuple[str, str]], share: float = 0) -> QuestionState:
    """The state after decisions, each of a reviewer, in the order of time."""
    reviews = [
        decision(ID, reviewer, verdict, minute, ITEM.version, minute)
        for minute, (reviewer, verdict) in enumerate(given)
    ]
    return question_states([ITEM], reviews, Overlap(share))[ID]


def test_a_question_without_a_decision_is_open() -> None:
    assert state([]) == QuestionState(ID, "open")


def test_the_last_decision_of_a_reviewer_counts() -> None:
    assert state([("Ana", "approve")]).state == "approved"
    assert state([("Ana", "approve"), ("Ana", "reject")]).state == "rejected"
    assert len(state([("Ana", "approve"), ("Ana", "reject")]).counted) == 1


def test_an_undo_takes_one_decision_back_and_another_one_the_next() -> None:
    decided = [("Ana", "approve"), ("Ana", "reject"), ("Ana", "undo")]
    assert state(decided).state == "approved"
    assert state([*decided, ("Ana", "undo")]).state == "open"
    assert state([*decided, ("Ana", "undo"), ("Ana", "undo"), ("Ana", "reject")]).state == "rejected"
    assert state([("Bo", "reject"), *decided, ("Ana", "undo")]).state == "rejected"


def test_reviewers_who_differ_make_it_disputed_until_a_third_decides() -> None:
    disputed = state([("Ana", "approve"), ("Bo", "reject")])
    assert (disputed.state, disputed.missing) == ("disputed", 1)
    assert state([("Ana", "approve"), ("Bo", "reject"), ("Cy", "reject")]).state == "rejected"
    assert state([("Ana", "approve"), ("Bo", "reject"), ("Cy", "approve")]).state == "approved"


def test_the_third_settles_it_where_all_three_differ() -> None:
    third = state([("Ana", "approve"), ("Bo", "reject"), ("Cy", "revise")])
    assert (third.state, third.missing) == ("revised", 0)
    assert third.deciding is not None
    assert third.deciding.reviewer == "Cy"


def test_a_reviewer_who_changes_his_mind_stays_the_one_who_came_first() -> None:
    given = [("Ana", "approve"), ("Bo", "reject"), ("Cy", "revise"), ("Ana", "approve")]
    assert state(given).state == "revised"


def test_two_who_agree_outweigh_one_who_comes_later() -> None:
    assert state([("Ana", "approve"), ("Bo", "approve"), ("Cy", "reject")]).state == "approved"


def test_a_question_of_the_overlap_needs_two() -> None:
    assert [state([("Ana", "approve")], share).missing for share in (0, 1)] == [0, 1]
    assert state([("Ana", "approve"), ("Bo", "approve")], 1).missing == 0


def test_the_overlap_is_drawn_by_question_and_holds_about_its_share() -> None:
    ids = [f"own/val/{number}@demo/1" for number in range(2_000)]
    some, more = ({id_ for id_ in ids if Overlap(share).needed(id_) == 2} for share in (0.2, 0.5))
    assert 350 < len(some) < 450
    assert some < more
    assert some != {id_ for id_ in ids if Overlap(0.2, seed=1).needed(id_) == 2}
    assert all(Overlap(0.2).needed(f"{id_}.3") == Overlap(0.2).needed(id_) for id_ in ids)
    with pytest.raises(InputError, match=r"the overlap is 1\.5; give a share from 0 to 1"):
        Overlap(1.5)


def test_a_question_that_changed_since_is_stale_and_open_to_the_same_reviewer() -> None:
    old = decision(ID, "Ana", "approve", 0, "another")
    stale = question_states([ITEM], [old])[ID]
    assert (stale.state, stale.needs("Ana")) == ("stale", True)
    new = decision(ID, "Bo", "reject", 1, ITEM.version)
    assert question_states([ITEM], [old, new])[ID].state == "rejected"


def test_a_version_changes_with_all_that_is_seen_and_with_nothing_else() -> None:
    question = ITEM.question
    for change in ({"text": "Why?"}, {"answer": "x"}, {"aliases": ()}, {"key": ()}):
        assert question_version(replace(question, **change), ITEM.options) != ITEM.version
    assert question_version(question) != ITEM.version
    assert question_version(question, ITEM.options[::-1]) == ITEM.version
    assert question_version(replace(question, id="x", status="dropped", concept=""), ITEM.options) == ITEM.version


def test_who_revises_a_question_approves_the_new_version() -> None:
    made = reviewed_item(replace(ITEM.question, id=f"{ID}.1", text="Which one?", parent=ID, status="revised"))
    revised = replace(decision(ID, "Ana", "revise", 0, ITEM.version), after=f'{{"question": "{ID}.1"}}')
    assert _words([ITEM, made], [revised]) == {ID: "revised", f"{ID}.1": "approved"}
    other = decision(f"{ID}.1", "Bo", "reject", 1, made.version)
    assert _words([made, ITEM], [revised, other]) == {ID: "revised", f"{ID}.1": "disputed"}
    undone = decision(ID, "Ana", "undo", 2, ITEM.version, 1)
    assert _words([ITEM, made], [revised, undone]) == {ID: "open", f"{ID}.1": "open"}


def _words(items: list, reviews: list[Review]) -> dict[str, str]:
    return {id_: state.state for id_, state in question_states(items, reviews).items()}


def test_the_id_of_a_new_version_names_its_sample_and_its_first_version() -> None:
    assert first_version(f"{ID}.12") == ID == first_version(ID)
    assert sample_of_question(f"{ID}.12") == ITEM.question.sample
    assert first_version("own/val/1.2") == "own/val/1.2"


def test_disputed_questions_wait_for_a_third_behind_the_open_ones() -> None:
    other = reviewed_item(replace(ITEM.question, id=ID.replace("/1@", "/2@")))
    reviews = [decision(ID, "Ana", "approve", 0, ITEM.version), decision(ID, "Bo", "reject", 1, ITEM.version)]
    states = question_states([ITEM, other], reviews)
    assert waiting_for(states, "Cy") == ([other.question.id], [ID])
    assert waiting_for(states, "Ana") == ([other.question.id], [])
    assert waiting_for(states, "Cy", replaced=[other.question.id]) == ([], [ID])
