"""A question is read once, with spaCy's model and without, and each field says one thing of it."""

import gzip
import json
from pathlib import Path

import pytest

from kbe_graph.english.parse import ENGLISH, KEPT, PLAIN, Parser, spacy_model_name
from kbe_graph.english.reading import parse_questions, read

parsed = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")


class Counted:
    """A parser without a model, and how often it was asked for one: once for each text that is not kept."""

    def __init__(self):
        self.asked = 0
        self.parser = Parser(self._model)

    def _model(self):
        self.asked += 1


def test_the_same_question_has_the_same_reading():
    assert read("What animal is this?") is read("What animal is this?")
    assert read("What animal is this?") is not read("What animal is this?", PLAIN)


def test_a_question_is_parsed_once():
    counted = Counted()
    for _ in range(3):
        reading = read("What is the man in the boat holding?", counted.parser)
        _ = reading.anchors, reading.property, reading.verbs, reading.owned
        _ = reading.words, reading.outline, reading.anchors
    assert counted.asked == 1


def test_questions_that_were_parsed_together_are_not_parsed_again():
    counted, questions = Counted(), ("What is the mans hat made of?", "What breed of dog is this?")
    parse_questions(questions, counted.parser)
    assert counted.asked == 1
    assert all(read(question, counted.parser).words for question in questions)
    assert counted.asked == 1


def test_words_alone_need_no_parser():
    counted = Counted()
    reading = read("What type of plane is this, a jet or a glider?", counted.parser)
    _ = reading.asks_for, reading.files, reading.refused_type, reading.form, reading.protected
    _ = reading.misspelled, reading.offers, reading.asks("action"), reading.firm, reading.field
    assert counted.asked == 0


def test_what_was_parsed_together_is_kept_and_the_oldest_are_forgotten():
    counted = Counted()
    counted.parser.parse_all(f"cat {number}" for number in range(KEPT + 1))
    counted.parser.words(f"cat {KEPT}")
    assert counted.asked == 1
    counted.parser.words("cat 0")
    assert counted.asked == 2


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


def test_some_nouns_stand_for_more_than_their_kinds() -> None:
    for question, field in [
        ("Which US state is this?", "area"),
        ("What natural habitat is this?", "spot"),
        ("What water sport is this?", "sport"),
        ("What kitchen appliance is this?", "thing"),
        ("What animal is this?", ""),
    ]:
        assert read(question).field == field


def test_the_choices_that_a_question_offers():
    assert read("Is this a cat or the dog?").offers == (("cat", "dog"),)
    assert read("Is this a cat?").offers == ()


def test_what_must_not_be_asked_of_people_is_found_in_the_words_as_written():
    assert read("What is the Ethnicity of these people?").protected == "Ethnicity"
    assert read("What race are these people?").protected == "What race are these people"
    assert not read("What race are they running in?").protected


def test_the_type_that_is_asked_for() -> None:
    for question, kind in [
        ("What brand is the black laptop?", "brand"),
        ("Who invented the telephone?", "personal name"),
        ("How many teams are there?", "number"),
        ("What kind of day is this?", ""),
        ("Which team members are these?", ""),
    ]:
        assert read(question).refused_type == kind


@pytest.mark.parametrize("parser", [pytest.param(None, marks=parsed, id="spaCy"), pytest.param(PLAIN, id="WordNet")])
def test_a_question_is_taken_apart_with_and_without_the_model(parser):
    reading = read("What animal is the man holding?", parser) if parser else read("What animal is the man holding?")
    assert (reading.kind, reading.head, reading.property) == ("what", "animal", "animal")
    assert [phrase.name for phrase in reading.anchors] == ["man", "animal"]
    assert (reading.verbs, reading.identity, reading.deictic) == (("hold",), False, False)


def test_an_apostrophe_left_out_is_a_misspelling():
    assert read("What is in the dogs mouth?").misspelled == "dogs mouth"
    assert read("What is in the dog's mouth?").misspelled == ""


@pytest.mark.parametrize("parser", [pytest.param(ENGLISH, marks=parsed, id="spaCy"), pytest.param(PLAIN, id="WordNet")])
def test_only_a_question_that_holds_the_word_asks_where(data: Path, parser: Parser) -> None:
    """A hop looks for the word before it has a question parsed (``kbe_graph.evolve.exploration``)."""
    lines = gzip.decompress((data / "aokvqa" / "val_dev_half.jsonl.gz").read_bytes()).splitlines()
    texts = [json.loads(line)["question"] for line in lines]
    asking = [text for text in texts if read(text, parser).kind == "where"]
    assert asking
    assert all("where" in text.lower() for text in asking)
