import gzip
import json
from pathlib import Path

import pytest

from kbe_graph.english.parse import PLAIN as PLAIN_PARSER
from kbe_graph.english.parse import load_spacy_model
from kbe_graph.errors import NoCandidate
from kbe_graph.question import read
from kbe_graph.wording.noun_phrase import refer

PLAIN = {
    "What breed of dog is this?": "this breed of dog",
    "what kind of bird is  that ?": "this kind of bird",
    "What kind of birds are those?": "these birds",
    "What holiday do you think this is?": "this holiday",
    "Whats this?": "this thing",
    "Who are these?": "these people",
    "In this photo, what sport is this?": "this sport",
}
PARSED = {
    "What animal is this boat mimicking?": "the animal this boat is mimicking",
    "What breed of horse are the ones pictured?": "the breed of horse the ones pictured are",
    "What city is this game taking place?": "the city where this game is taking place",
    "Which food item here has the most protein?": "the food item here that has the most protein",
    "The object the meat is in is called what?": "the object the meat is in",
    "In what country is this dish most famous?": "the country where this dish is most famous",
    "What country is this sport most popular?": "the country where this sport is most popular",
    "What room of the house is this likely to be?": "the room of the house this is likely to be",
    "Which fruit is a part of the muffin seen here?": "the fruit that is a part of the muffin seen here",
    "From what vegetable does the food come from in the top left of the picture?": (
        "the vegetable from which the food comes in the top left of the picture"
    ),
    "What type of dish uses this much cheese?": "the type of dish that uses this much cheese",
    "What kind of climate do those trees flourish in?": "the kind of climate which those trees flourish in",
    "What type of fuel does this vehicle use?": "the type of fuel this vehicle uses",
    "What has the man stuck his ice pick into?": "the thing the man has stuck his ice pick into",
    "Where did this animal originate?": "the place where this animal originated",
    "What country does this food come from?": "the country this food comes from",
    "what is the person in the photo wearing?": "the thing the person in the photo is wearing",
    "What is this building made of?": "the material this building is made of",
    "What is this man doing?": "the activity this man is doing",
    "What is the structure over the top of the train?": "the structure over the top of the train",
    "What is the name of the bridge the cars are on?": "the bridge the cars are on",
    "What is this trick called?": "this trick",
    "What do you call the pattern on this tie?": "the pattern on this tie",
    "What breed is this dog?": "the breed of this dog",
    "What type of vegetable is on this pizza?": "the type of vegetable on this pizza",
    "What day is being celebrated?": "the day that is being celebrated in this image",
    "In what country can you see this?": "the country where you can see this",
    "Who invented this item?": "the inventor of this item",
    "Which uniformed person drive these vehicles?": "the uniformed person who drives these vehicles",
    "What year was this sport invented?": "the year in which this sport was invented",
    "The men facing the camera are all wearing what?": "the thing the men facing the camera are all wearing",
    "What kind of guitar is the man in the image playing?": "the kind of guitar the man in the image is playing",
    "What material is this man's shorts made out of?": "the material this man's shorts are made out of",
    "What other item is this company famous for manufacturing?": (
        "the other item this company is famous for manufacturing"
    ),
    "Which american city has this transportation system?": "the American city that has this transportation system",
    "These plants are called what?": "these plants",
    "What activity is the man in the canoe about to do?": "the activity the man in the canoe is about to do",
    "What is this animal on top of?": "the thing this animal is on top of",
    "What other parks have similar benches as the ones listed in this picture?": (
        "the other parks that have similar benches as the ones listed in this picture"
    ),
    "What animals eat these vegetables?": "the animals that eat these vegetables",
}
WITHOUT = {
    "Total eclipse of the what?": "no noun phrase",
    "This restricts the movement of an animal?": "no noun phrase",
    "What holiday would the teddy bear be sold at malls?": "no noun phrase",
}


def test_a_plain_question_becomes_a_noun_phrase_by_its_pattern() -> None:
    for question, phrase in PLAIN.items():
        assert refer(read(question, PLAIN_PARSER)).phrases[0].text == phrase


def test_a_question_with_a_clause_becomes_a_noun_phrase():
    for question, phrase in PARSED.items():
        if load_spacy_model() is None:
            pytest.skip("no spaCy English model is installed")
        assert refer(read(question)).phrases[0].text == phrase


def test_a_question_whose_answer_no_phrase_can_stand_for_is_refused_with_its_reason() -> None:
    for question, reason in WITHOUT.items():
        if load_spacy_model() is None:
            pytest.skip("no spaCy English model is installed")
        with pytest.raises(NoCandidate) as refusal:
            refer(read(question))
        assert refusal.value.reason == reason


def test_a_question_about_no_image_has_no_phrase_that_ties_its_answer_to_one():
    assert refer(read("What type of fuel do jets use?")).phrases == ()


def test_wordnet_s_tags_do_where_there_is_no_parser():
    same = [
        question for question, phrase in PARSED.items() if refer(read(question, PLAIN_PARSER)).phrases[0].text == phrase
    ]
    assert len(same) >= 0.95 * len(PARSED)


def test_the_number_of_a_phrase_is_that_of_its_head():
    near, far, _ = refer(read("What kind of birds are those?", PLAIN_PARSER)).phrases
    assert near == ("these birds", True)
    assert far == ("the kind of birds in this image", False)


def test_seven_in_ten_questions_of_ok_vqa_become_a_noun_phrase(data: Path):
    if load_spacy_model() is None:
        pytest.skip("no spaCy English model is installed")
    with gzip.open(data / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines][:400]
    assert sum(_is_referred(question) for question in questions) >= 0.7 * len(questions)


def _is_referred(question: str) -> bool:
    try:
        return bool(refer(read(question)).phrases)
    except NoCandidate:
        return False
