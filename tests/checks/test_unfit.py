import pytest
from filter_cases import decide

from kbe_graph.checks.unfit import NameAsked, one_of_several, unfit
from kbe_graph.english.wordnet import wordnet

UNFIT = [
    ("the thing this bike is used for", "cycling"),
    ("the thing being used to play this sport", "soccer"),
    ("the material this building is made of", "church"),
    ("this place", "monday"),
    ("the thing the man is doing", "surfing"),
    ("the most famous of these animals", "sheep"),
    ("the recipe these can be used in", "bread"),
    ("the other surface this game is played on", "grass"),
    ("this part of the world", "australia"),
    ("the kind of herd in this image", "sheep"),
    ("this form of animal", "fox"),
    ("the bright pieces of food in this image", "carrot"),
    ("the breed of the bird in this image", "robin"),
    ("the animal this bed is made for", "human"),
]
FIT = [
    ("the material this building is made of", "brick"),
    ("the thing the man is holding", "knife"),
    ("this sport", "soccer"),
    ("the thing the men are playing", "soccer"),
    ("this body part", "knee"),
    ("this breed of dog", "poodle"),
    ("the kind of sport this bike is used for", "cycling"),
]


def _why(text: str, answer: str, question: str = "What is this?") -> str:
    return unfit(text, wordnet().synsets(answer)[0].id, question)


@pytest.mark.parametrize(("text", "answer"), UNFIT)
def test_an_answer_that_is_no_such_thing_is_told(text: str, answer: str):
    assert _why(text, answer)


@pytest.mark.parametrize(("text", "answer"), FIT)
def test_an_answer_that_fits_passes(text: str, answer: str):
    assert not _why(text, answer)


@pytest.mark.parametrize(
    "question", ["What is the name of this style of hot dog?", "What baseball team is this?", "What flag is this?"]
)
def test_a_city_is_told_from_what_bears_its_name(question: str):
    assert not unfit("the city shown", wordnet().synsets("chicago")[0].id, "What city is it?")
    assert unfit("the style shown", wordnet().synsets("chicago")[0].id, question)


def test_an_answer_that_wordnet_does_not_know_passes():
    assert not unfit("the thing", "ncbi:9220", "What is this?")


def test_a_flag_is_no_country_and_a_skin_no_animal():
    assert _why("the flag on the bus", "sweden", "What flag is on the bus?")
    assert _why("the animal skin", "soccer", "What animal is this?")
    assert not _why("the country", "sweden", "What country is this?")


def test_a_name_is_not_the_thing():
    decision = decide(NameAsked(), NameAsked.passed._replace(called="the nickname of this dish"))
    assert decision.reason == "a name is asked for"


def test_a_person_is_not_what_the_person_sells():
    text, pepper = "this street vendor in black shirt and hat selling at her stand", wordnet().synsets("pepper")[0].id
    assert unfit(text, pepper, "What is this street vendor selling?", described=True)
    assert not unfit("the structure over the train", wordnet().synsets("bridge")[0].id, "", described=True)


@pytest.mark.parametrize(
    ("text", "answer", "refused"),
    [
        ("the ingredients used to make this dish", "cheese", True),
        ("the ingredients used to make this dish", "vegetables", True),
        ("the items of clothing round the man's neck", "ties", False),
        ("these birds", "pelican", False),
        ("the countries in which you would prepare this food", "mexico", True),
    ],
)
def test_one_answer_to_a_question_for_several_things_is_refused(text: str, answer: str, refused: bool):
    assert one_of_several((text,), answer) is refused


@pytest.mark.parametrize(
    ("answer", "text", "question"),
    [
        ("savannah", "the habitat of this animal", "What habitat is this animal found in?"),
        ("sheep", "the family of this animal", "What is the family of this animal?"),
        ("cow", "the person who is being fed", "Who is being fed?"),
        ("bun", "the hairstyle of the woman", "What kind of hairstyle does the woman have?"),
        ("cowboy", "this type of hat", "What is this type of hat called?"),
    ],
)
def test_an_answer_of_another_sense_than_the_noun_that_is_asked_for_is_told(answer: str, text: str, question: str):
    described = question.startswith("What is")
    assert unfit(text, wordnet().synsets(answer)[0].id, question, described=described)
