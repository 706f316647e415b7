import os

import pytest

from kbe_graph.english.inflect import are_inflections, article, lemmas, plural
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.parse import load_spacy_model, spacy_model_name
from kbe_graph.english.words import words
from kbe_graph.errors import ConfigError, ResourceError


def test_counted_nouns_take_a_or_an() -> None:
    for phrase in [
        *(
            "a giraffe",
            "an owl",
            "an hour",
            "a unicorn",
            "a university",
            "an umbrella",
            "an honest man",
            "a European car",
        ),
        *("an FBI agent", "an SUV", "a UFO", "a US state", "an 8-ball", "an x-ray", "a one-way street", "an heirloom"),
        *("a Labrador retriever", "a jersey", "a turkey", "a glass of water", "a dog's bowl", "a witness", "a hot dog"),
    ]:
        assert article(phrase.split(" ", 1)[1]) == phrase


def test_other_phrases_take_none() -> None:
    for phrase in [
        *(
            "rice",
            "soccer",
            "leather",
            "water",
            "orange juice",
            "snow",
            "beef",
            "skateboarding",
            "potassium",
            "furniture",
        ),
        *("Italy", "italy", "Christmas", "big ben", "Boeing 747", "english", "wisconsin"),
        *("giraffes", "men", "scissors", "jeans", "people", "two dogs", "the ocean", "his hat", "$350", "1950", ""),
    ]:
        assert article(phrase) == phrase


def test_some_names_take_the() -> None:
    for name in ["Pacific Ocean", "united states", "nile", "Sahara Desert", "Netherlands"]:
        assert article(name) == f"the {name}"


def test_plural_and_singular_are_inverse() -> None:
    for one, many in [
        *(("giraffe", "giraffes"), ("man", "men"), ("german", "germans"), ("tomato", "tomatoes"), ("piano", "pianos")),
        *(
            ("ox", "oxen"),
            ("child", "children"),
            ("knife", "knives"),
            ("roof", "roofs"),
            ("person", "people"),
            ("leaf", "leaves"),
        ),
        *(
            ("mouse", "mice"),
            ("bus", "buses"),
            ("city", "cities"),
            ("monkey", "monkeys"),
            ("teddy bear", "teddy bears"),
        ),
        *(("cup of tea", "cups of tea"), ("GIRAFFE", "GIRAFFES"), ("wet suit", "wet suits")),
        *(("cookie", "cookies"), ("movie", "movies"), ("goose", "geese"), ("ski", "skis"), ("hero", "heroes")),
    ]:
        assert plural(one) == many
        assert is_plural(many)
        assert not is_plural(one)
        assert singular(many) == one


def test_the_plural_of_these_is_the_same() -> None:
    for noun in ["sheep", "rice", "scissors", "species", "jeans", "tennis", "Italy", "giraffes"]:
        assert plural(noun) == noun


def test_an_s_does_not_make_a_plural() -> None:
    for noun in ["gas", "canvas", "boss", "tennis", "news", "christmas", "texas", "lens", "asparagus", "species"]:
        assert not is_plural(noun)
        assert singular(noun) == noun


def test_the_head_of_a_phrase_is_what_changes():
    assert plural("glass of water") == "glasses of water"
    assert plural("father-in-law") == "fathers-in-law"
    assert plural("Knife") == "Knives"


def test_lemmas_leave_out_empty_words_and_keep_all_readings():
    assert lemmas("What is the color of the baked cookies' leaves?") == (
        "color",
        "bake",
        "baked",
        "cookie",
        "cooky",
        "leaf",
        "leave",
    )
    assert set(lemmas("the Pacific Ocean")) == {"pacific", "ocean"}
    assert lemmas("") == ()


def test_an_unknown_word_list_is_named():
    with pytest.raises(ResourceError, match="no word list 'colours'"):
        words("colours")


@pytest.fixture
def model_setting():
    before = os.environ.get("KBE_SPACY_MODEL")
    yield os.environ
    os.environ.pop("KBE_SPACY_MODEL", None)
    if before is not None:
        os.environ["KBE_SPACY_MODEL"] = before


def test_spacy_can_be_left_out(model_setting):
    model_setting["KBE_SPACY_MODEL"] = "none"
    assert spacy_model_name() == ""
    assert load_spacy_model() is None


def test_a_configured_model_that_is_missing_is_an_error(model_setting):
    model_setting["KBE_SPACY_MODEL"] = "en_no_such_model"
    with pytest.raises(ConfigError, match="no spaCy model 'en_no_such_model'"):
        spacy_model_name()


def test_texts_are_inflections_where_each_word_has_a_lemma_in_common() -> None:
    for text, other, same in [
        ("chairs", "Chair", True),
        ("flew", "flying", True),
        ("palm trees", "palm tree", True),
        ("bus", "busy", False),
        ("tree palm", "palm tree", False),
        ("palm tree", "palm", False),
        ("2", "two", False),
    ]:
        assert are_inflections(text, other) is same
