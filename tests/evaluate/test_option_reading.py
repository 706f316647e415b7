"""The option that a reply chose."""

import pytest

from kbe_graph.evaluate.option_reading import read_option

CHOICES = ("ball", "frisbee", "a", "fishing rod")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("B", "frisbee"),
        ("b.", "frisbee"),
        ("(B)", "frisbee"),
        ("**B**", "frisbee"),
        ("B. frisbee", "frisbee"),
        ("B) a frisbee", "frisbee"),
        ("The answer is B.", "frisbee"),
        ("Answer: (B) frisbee.", "frisbee"),
        ("Frisbee", "frisbee"),
        ("the fishing-rod.", "fishing rod"),
        ("a", "a"),
        ("B. ball", None),
        ("B. something else", None),
        ("A or B", None),
        ("E", None),
        ("A frisbee, I think", "frisbee"),
        ("a dog", None),
        ("", None),
    ],
)
def test_a_reply_is_read_as_the_option_it_chose(reply: str, expected: str | None) -> None:
    assert read_option(reply, CHOICES).option == expected


def test_options_of_one_text_are_told_apart_by_letter_alone() -> None:
    assert read_option("ball", ("ball", "Ball")).option is None
    assert read_option("B", ("ball", "Ball")).option == "Ball"
