import pytest

from kbe_graph.english.parse import PLAIN as PLAIN_PARSER
from kbe_graph.english.parse import spacy_model_name
from kbe_graph.english.reading import read
from kbe_graph.english.reference import Phrase, refer
from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.rule_wording import fitting
from kbe_graph.facts.pack import pack

POINTED = {
    "What breed of dog is this?": "this dog",
    "What kind of birds are those?": "these birds",
    "What holiday do you think this is?": "this holiday",
    "In this photo, what sport is this?": "this sport",
}
DESCRIBED = {
    "What animal is the man riding?": "the animal that the man is riding",
    "What kind of bird is flying over the beach?": "the bird flying over the beach",
    "What animal is next to the baby animal?": "the animal that is next to the baby animal",
    "In which country is this crosswalk?": "the country where this crosswalk is",
    "What city is this shopping center in?": "the city that this shopping center is in",
    "What type of audience is the man likely speaking to?": "the audience that the man is speaking to",
    "Where are these cats located?": "the place where these cats are located",
    "What is the structure over the top of the train?": "the structure over the top of the train",
    "What country do these planes belong to?": "the country that these planes belong to",
    "What company made the box on the wall?": "the company that made the box on the wall",
    "Who was the architect of the bridge in this image?": "the architect of the bridge in this image",
}
UNCLEAR = (
    "Is this fruit ripe?",
    "How is this made?",
    "What drink might these be good in?",
    "What is this place called?",
    "What fruit prevents scurvy?",
)


def test_what_is_shown_is_pointed_at_with_and_without_a_parse() -> None:
    for question, phrase in POINTED.items():
        for reading in (read(question), read(question, PLAIN_PARSER)):
            assert refer(reading).phrases[0].text == phrase


@pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")
def test_what_a_question_describes_keeps_its_words() -> None:
    for question, phrase in DESCRIBED.items():
        assert refer(read(question)).phrases[0].text == phrase
        with pytest.raises(NoCandidate):
            refer(read(question, PLAIN_PARSER))
    of_kind = {
        "What is the man riding?": ("animal", "the animal that the man is riding"),
        "What does the bridge in this image cross?": ("river", "the river that the bridge in this image crosses"),
        "Who designed the bridge in this image?": ("company", "the company that designed the bridge in this image"),
    }
    for question, (kind, phrase) in of_kind.items():
        assert refer(read(question), kind).phrases == (Phrase(phrase),)


def test_nothing_stands_for_the_answer_of_an_unclear_question() -> None:
    for question in UNCLEAR:
        with pytest.raises(NoCandidate) as none:
            refer(read(question))
        assert none.value.reason == "no noun phrase"


def test_a_phrase_fits_what_the_relation_asks_of() -> None:
    def texts(phrase: str, answer: str, relation: str, *, plural: bool = False) -> list[str]:
        concept = wordnet().synsets(answer)[0].id
        return [each.text for each in fitting([Phrase(phrase, plural)], concept, pack().relations[relation])]

    assert texts("this dog", "poodle", "country of origin") == ["this kind of dog"]
    assert texts("this dog", "poodle", "young") == ["this dog"]
    assert texts("this country", "Italy", "capital") == ["the country where this picture was taken"]
    assert texts("this place", "Asia", "longest river") == ["the continent where this picture was taken"]
    assert texts("these animals", "cow", "number of teeth", plural=True) == []
    assert texts("the event that he enjoys", "tennis", "governing body") == []
    assert texts("the game that he plays", "tennis", "governing body") == ["the game that he plays"]
