import pytest

from kbe_graph.errors import InputError
from kbe_graph.types import (
    IMAGE,
    Entity,
    Prediction,
    SampleGraph,
    Triplet,
    Vote,
)

DOG = Entity("DOG")
DEPICTS = Triplet(IMAGE, "depicts", DOG)
BREED = Triplet(DOG, "breed", Entity("COLLIE"), "textual")


def test_a_key_outside_the_graphs_or_without_a_visual_triplet_is_refused() -> None:
    with pytest.raises(InputError, match="outside both graphs"):
        SampleGraph("s", (DEPICTS,), (), (DEPICTS, BREED))
    with pytest.raises(InputError, match="no visual triplet"):
        SampleGraph("s", (DEPICTS,), (BREED,), (BREED,))


def test_what_a_model_recognised_is_told_with_its_evidence() -> None:
    place = Triplet(Entity("STREET"), "is in", Entity("LYON"), source="model m", evidence="green trams")
    assert place.grounds == place.support == "recognised by: green trams"


def test_a_judge_renews_its_own_verdict_and_leaves_those_of_others() -> None:
    votes = (Vote("a", "right"), Vote("b", "wrong"))
    answer = Prediction("m", "q", "dog").with_verdict("alias", "wrong").with_verdict("majority of a, b", "wrong", votes)
    assert (answer.judge, answer.other_verdicts) == ("majority of a, b", (Vote("alias", "wrong"),))
    again = answer.with_verdict("alias", "right")
    assert (again.judge, again.verdict, again.votes) == ("alias", "right", votes)
    assert [again.verdict_of(judge) for judge in ("alias", "majority of a, b", "b")] == ["right", "wrong", ""]
    assert again.with_verdict("alias", "right") == again
    assert answer.with_verdict("majority of a, b", "").verdicts == (Vote("alias", "wrong"),)
    assert again.with_verdict("alias", "").with_verdict("majority of a, b", "").verdict == ""
    assert again.unjudged == Prediction("m", "q", "dog")
