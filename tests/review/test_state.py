"""The state of a question by the decisions on it."""

from collections.abc import Sequence
from dataclasses import replace

from review_cases import a_question, decision

from kbe_graph.review.state import QuestionState, question_states, reviewed_item
from kbe_graph.types import Review

ITEM = reviewed_item(a_question(), ("Giraffidae", "Bovidae"))
ID = ITEM.question.id


def state(given: Sequence[tuple[str, str]], share: float = 0) -> QuestionState:
    """The state after decisions, each of a reviewer, in the order of time."""
    reviews = [
        decision(ID, reviewer, verdict, minute, ITEM.version, minute)
        for minute, (reviewer, verdict) in enumerate(given)
    ]
    return question_states([ITEM], reviews, share)[ID]


def test_the_last_decision_of_each_reviewer_counts_without_undone_ones_and_a_third_settles_disputes() -> None:
    rows = {
        "": "open",
        "Ana approve": "approved",
        "Ana approve, Ana reject": "rejected",
        "Ana approve, Ana reject, Ana undo": "approved",
        "Ana approve, Ana reject, Ana undo, Ana undo": "open",
        "Ana approve, Ana reject, Ana undo, Ana undo, Ana reject": "rejected",
        "Bo reject, Ana approve, Ana undo": "rejected",
        "Ana approve, Ana rate": "approved",
        "Ana approve, Bo reject": "disputed",
        "Ana approve, Bo reject, Cy reject": "rejected",
        "Ana approve, Bo reject, Cy approve": "approved",
        "Ana approve, Bo reject, Cy revise": "revised",
        "Ana approve, Bo reject, Cy revise, Ana approve": "revised",  # Ana stays the first
        "Ana approve, Bo approve, Cy reject": "approved",
    }
    for words, expected in rows.items():
        given = [(*each.split(),) for each in words.split(", ") if each]
        assert state(given).state == expected, words
    assert state([("Ana", "approve"), ("Bo", "reject")]).missing == 1


def test_the_last_decision_is_the_one_stored_last_whatever_a_clock_says() -> None:
    first, last = (
        decision(ID, "Ana", "approve", 30, ITEM.version, 0),
        decision(ID, "Ana", "reject", 10, ITEM.version, 1),
    )
    assert question_states([ITEM], [first, last])[ID].state == "rejected"


def test_the_overlap_is_drawn_by_question_and_holds_about_its_share() -> None:
    items = [reviewed_item(replace(ITEM.question, id=f"own/val/{number}@demo/1")) for number in range(2_000)]

    def drawn(share: float, seed: int = 0) -> set[str]:
        return {id_ for id_, each in question_states(items, [], share, seed).items() if each.missing == 2}

    assert 350 < len(drawn(0.2)) < 450
    assert drawn(0.2) < drawn(0.5)
    assert drawn(0.2) != drawn(0.2, seed=1)
    assert [state([("Ana", "approve")], share).missing for share in (0, 1)] == [0, 1]


def test_a_question_that_changed_since_is_stale_and_open_to_the_same_reviewer() -> None:
    old = decision(ID, "Ana", "approve", 0, "another")
    stale = question_states([ITEM], [old])[ID]
    assert (stale.state, stale.needs("Ana")) == ("stale", True)
    new = decision(ID, "Bo", "reject", 1, ITEM.version)
    assert question_states([ITEM], [old, new])[ID].state == "rejected"


def test_a_version_changes_with_all_that_is_seen_and_with_nothing_else() -> None:
    def version(options: Sequence[str] = ITEM.options, **change: object) -> str:
        return reviewed_item(replace(ITEM.question, **change), options).version  # type: ignore[arg-type]

    for change in ({"text": "Why?"}, {"answer": "x"}, {"aliases": ()}, {"key": ()}, {"options": ()}):
        assert version(**change) != ITEM.version, change  # type: ignore[arg-type]
    assert version(ITEM.options[::-1], id="x", status="dropped", concept="") == ITEM.version


def test_who_revises_a_question_approves_the_new_version() -> None:
    made = reviewed_item(replace(ITEM.question, id=f"{ID}.1", text="Which one?", parent=ID, status="revised"))
    revised = replace(decision(ID, "Ana", "revise", 0, ITEM.version), after=f'{{"question": "{ID}.1"}}')
    assert _words([ITEM, made], [revised]) == {ID: "revised", f"{ID}.1": "approved"}
    agreed = decision(f"{ID}.1", "Bo", "approve", 1, made.version)
    assert _words([made, ITEM], [revised, agreed]) == {ID: "revised", f"{ID}.1": "approved"}
    other = decision(f"{ID}.1", "Bo", "reject", 1, made.version)
    assert _words([made, ITEM], [revised, other]) == {ID: "revised", f"{ID}.1": "disputed"}
    undone = decision(ID, "Ana", "undo", 2, ITEM.version, 1)
    assert _words([ITEM, made], [revised, undone]) == {ID: "open", f"{ID}.1": "open"}


def _words(items: list, reviews: list[Review]) -> dict[str, str]:
    return {id_: state.state for id_, state in question_states(items, reviews).items()}
