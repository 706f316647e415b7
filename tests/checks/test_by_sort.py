import pytest

from kbe_graph.checks.by_sort import is_by_sort
from kbe_graph.english.wordnet import wordnet
from kbe_graph.types import Entity


@pytest.mark.parametrize(
    ("text", "name", "is_asked"),
    [
        ("the kind of animal in this image", "GIRAFFE", True),
        ("the kind of birds that are shown", "PELICANS", True),
        ("this kind of fruit", "MELON", True),
        ("the instrument on the left", "GUITAR", True),
        ("the kind of drink that the people are holding", "LEMONADE", True),
        ("the kind of animal that the man feeds", "GIRAFFE", False),
        ("the kind of large animal in this image", "GIRAFFE", False),
        ("the species of animal in this image", "GIRAFFE", False),
        ("the flower in this image", "GIRAFFE", False),
        ("the instrument on the left", "THERMOMETER", False),
        ("the thing in this image", "GIRAFFE", False),
    ],
)
def test_a_thing_is_asked_for_by_a_word_for_its_sort_alone(text: str, name: str, is_asked: bool) -> None:
    concept = wordnet().lookup(name.lower()).synsets[0].id
    assert is_by_sort(text, Entity(name, concept=concept)) is is_asked


def test_a_name_cut_short_is_none_of_its_sort() -> None:
    truck = wordnet().lookup("tow truck").synsets[0].id
    assert is_by_sort("the kind of truck in this image", Entity("TOW TRUCK", concept=truck))
    assert not is_by_sort("the kind of truck in this image", Entity("TOW", concept=truck))
