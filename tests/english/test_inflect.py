from kbe_graph.english.inflect import article, is_plural, lemmas, plural, singular


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
