"""A question is read once, with spaCy's model and without, and each field says one thing of it."""

import pytest

from kbe_graph.english.parse import PLAIN, spacy_model_name
from kbe_graph.english.reading import read

parsed = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")


def test_the_noun_asked_for_whether_a_kind_of_it_and_whether_the_answer_must_be_one() -> None:
    for question, asks_for, kind, firm in [
        ("What kind of boat is this?", "boat", True, True),
        ("What animal is this?", "animal", False, True),
        ("What is the animal?", "animal", False, False),
        ("What is the animal looking at?", "", False, False),
        ("Who rides this?", "person", False, True),
        ("Which man made structure is this?", "artificial structure", False, True),
    ]:
        reading = read(question)
        assert (reading.asks_for, reading.asks_kind, reading.firm) == (asks_for, kind, firm)


def test_what_must_not_be_asked_of_people_is_found_in_the_words_as_written():
    assert read("What is the Ethnicity of these people?").protected == "Ethnicity"
    assert read("What race are these people?").protected == "What race are these people"
    assert not read("What race are they running in?").protected


@pytest.mark.parametrize("parser", [pytest.param(None, marks=parsed, id="spaCy"), pytest.param(PLAIN, id="WordNet")])
def test_a_question_is_taken_apart_with_and_without_the_model(parser):
    reading = read("What animal is the man holding?", parser) if parser else read("What animal is the man holding?")
    assert (reading.kind, reading.head, reading.property) == ("what", "animal", "animal")
    assert [phrase.name for phrase in reading.anchors] == ["man", "animal"]
    assert (reading.identity, reading.deictic) == (False, False)
