"""Evolved questions with their chain taken out."""

import re

from kbe_graph.facts.relation import relations
from kbe_graph.forms.paraphrase import without_chain
from kbe_graph.types import IMAGE, Entity, Question, Triplet

DOG = Entity("DOG")
KEY = (Triplet(IMAGE, "depicts", DOG),)


def question(*chain: str) -> Question:
    """Return a question that went through these relations."""
    explored = tuple(Triplet(DOG, name, Entity(f"X{place}"), "textual") for place, name in enumerate(chain))
    hop = len(chain)
    return Question(f"s@r/{hop}", "s", "r", hop, "explored" if hop else "raw", "What is it?", "x", (*KEY, *explored))


def test_each_relation_of_the_table_can_be_asked_so() -> None:
    for name in relations():
        text = without_chain(question(name)) or ""
        assert re.fullmatch(r"W[^{}()]+\b(?:what this picture shows|the thing in this picture)\b[^{}()]*\?", text)
