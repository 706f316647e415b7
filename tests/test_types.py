import pytest

from kbe_graph.errors import InputError
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet

DOG = Entity("DOG")
DEPICTS = Triplet(IMAGE, "depicts", DOG)
BREED = Triplet(DOG, "breed", Entity("COLLIE"), "textual")


def test_two_objects_of_one_name_stay_two() -> None:
    assert Entity("DOG").key == "dog"
    assert Entity("Dog", 2).key == "dog#2"
    assert Entity("DOG", 2).label == "DOG #2"


def test_a_key_outside_the_graphs_is_refused() -> None:
    with pytest.raises(InputError, match="outside both graphs"):
        SampleGraph("s", (DEPICTS,), (), (DEPICTS, BREED))


def test_a_key_without_a_visual_triplet_is_refused() -> None:
    with pytest.raises(InputError, match="no visual triplet"):
        SampleGraph("s", (DEPICTS,), (BREED,), (BREED,))


def test_where_a_triplet_came_from_does_not_tell_it_apart() -> None:
    assert Triplet(IMAGE, "depicts", DOG, source="caption") == DEPICTS
    assert Triplet(IMAGE, "Depicts", DOG).id == DEPICTS.id
