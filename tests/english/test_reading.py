"""A question is read once, with spaCy's model and without, and each field says one thing of it."""

import pytest

from kbe_graph.english.parse import PLAIN, Parser, spacy_model_name
from kbe_graph.english.reading import read

parsed = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")


class Counted:
    """A parser without a model, and how often it was asked for one: once for each text that is not kept."""

    def __init__(self):
        self.asked = 0
        self.parser = Parser(self._model)

    def _model(self):
        self.asked += 1


def test_a_question_is_parsed_once():
    counted = Counted()
    for _ in range(3):
        reading = read("What is the man in the boat holding?", counted.parser)
        _ = reading.anchors, reading.property, reading.owned
        _ = reading.words, reading.outline, reading.anchors
    assert counted.asked == 1


def test_words_alone_need_no_parser():
    counted = Counted()
    reading = read("What type of plane is this, a jet or a glider?", counted.parser)
    _ = reading.asks_for, reading.files, reading.refused_type, reading.form, reading.protected
    _ = reading.misspelled, reading.offers, reading.asks("action"), reading.firm, reading.field
    assert counted.asked == 0


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
