"""Questions are read for what they ask of which thing, and that thing is found among those seen."""

import pytest

from kbe_graph.english.parse import spacy_model_name
from kbe_graph.english.reading import read

parsed = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")

ASKED = [
    ("What breed of dog is this?", "dog", "breed"),
    ("What kind of plane is shown?", "plane", "kind"),
    ("What animal is this?", "animal", "animal"),
    ("What color is the bus?", "color", "color"),
    ("What brand racket is the player holding?", "racket", "brand"),
    ("What is this object used for?", "", "used for"),
    ("What is the purpose of this room?", "", "purpose"),
    ("What is this animal's habitat?", "", "habitat"),
    ("What does this animal eat?", "", "eats"),
    ("What is the man riding?", "", "riding"),
    ("What are these people doing?", "", "activity"),
    ("What is on the table?", "", "has on it"),
    ("What is the baby of this animal called?", "", "called"),
    ("Who invented this machine?", "", "invented by"),
    ("Where are these fruits grown?", "", "grown in"),
    ("Where would you find this animal?", "", "found in"),
    ("How many teeth does this animal have?", "", "number of teeth"),
    ("How old is this train?", "", "age"),
    ("When was this building built?", "", "built in"),
    ("Why is the street wet?", "", "reason"),
    ("Is this food cooked or raw?", "", "is"),
    ("What military branch do the men belong to?", "military branch", "military branch"),
    ("Name the type of plant this is?", "plant", "kind"),
]


@parsed
@pytest.mark.parametrize(("question", "head", "property_"), ASKED)
def test_a_question_asks_for_a_property_of_a_thing(question, head, property_):
    reading = read(question)
    assert (reading.head.split()[-1:], reading.property) == (head.split()[-1:], property_)
