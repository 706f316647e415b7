"""Texts are parsed together as each would be alone."""

from collections.abc import Sequence

import pytest

from kbe_graph.english.parse import PLAIN, Parser, load_spacy_model, spacy_model_name

pytestmark = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")
TEXTS = (
    "What  animal is the man riding?",
    "Name the type of plant this is?",
    "",
    "a man riding a wave on top of a surfboard",
    "two zebras standing next to each other in a field of tall dry grass near a tree",
    "What is the baby of this animal called?",
)


def differing(texts: Sequence[str]) -> list[str]:
    together, alone = Parser(load_spacy_model), Parser(load_spacy_model)
    together.parse_all(texts)
    return [text for text in texts if together.words(text) != alone.words(text)]


def test_texts_parsed_together_are_parsed_as_each_alone():
    assert differing(TEXTS) == []


def test_without_a_model_there_are_words():
    assert [word.tag for word in PLAIN.words("a red bus")] == ["DET", "ADJ", "NOUN"]
