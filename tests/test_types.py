import pytest

from kbe_graph.errors import InputError
from kbe_graph.types import (
    IMAGE,
    RAW,
    Entity,
    Prediction,
    Question,
    SampleGraph,
    Triplet,
    Vote,
    question_id,
    sample_of_question,
)

DOG = Entity("DOG")
DEPICTS = Triplet(IMAGE, "depicts", DOG)
BREED = Triplet(DOG, "breed", Entity("COLLIE"), "textual")


def test_a_key_outside_the_graphs_or_without_a_visual_triplet_is_refused() -> None:
    with pytest.raises(InputError, match="outside both graphs"):
        SampleGraph("s", (DEPICTS,), (), (DEPICTS, BREED))
    with pytest.raises(InputError, match="no visual triplet"):
        SampleGraph("s", (DEPICTS,), (BREED,), (BREED,))


def test_a_question_id_names_its_sample() -> None:
    id_ = question_id("okvqa/val/7", RAW, 0)
    assert id_ == "okvqa/val/7@raw/0"
    assert sample_of_question(id_) == "okvqa/val/7"
    assert sample_of_question("okvqa/val/7") == "okvqa/val/7"


def test_a_key_is_what_the_chain_started_from_and_one_triplet_a_hop() -> None:
    for hop in [0, 1, 2]:
        key = (DEPICTS, BREED)
        question = Question("s@r/1", "s", "r", hop, "explored", "What?", "collie", key)
        assert question.explored == key[2 - hop :], hop
        assert (*question.root, *question.explored) == key, hop


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
