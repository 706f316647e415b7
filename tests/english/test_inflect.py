from kbe_graph.english.inflect import article, is_plural, lemmas, plural, singular


def test_counted_nouns_take_a_or_an() -> None:
    phrases = "a giraffe, an owl, an hour, a university, an umbrella, an honest man, an FBI agent, a UFO, an 8-ball"
    for phrase in f"{phrases}, an x-ray, a one-way street, a Labrador retriever, a glass of water, a witness".split(
        ", "
    ):
        assert article(phrase.split(" ", 1)[1]) == phrase


def test_other_phrases_take_none() -> None:
    phrases = "rice, soccer, leather, orange juice, snow, skateboarding, furniture, Italy, Christmas, big ben"
    for phrase in f"{phrases}, giraffes, men, scissors, people, two dogs, the ocean, his hat, $350, 1950, ".split(", "):
        assert article(phrase) == phrase


def test_plural_and_singular_are_inverse() -> None:
    pairs = (
        "giraffe giraffes, man men, tomato tomatoes, piano pianos, ox oxen, child children, knife knives, roof roofs"
    )
    more = "person people, mouse mice, bus buses, city cities, monkey monkeys, cookie cookies, goose geese, ski skis"
    for pair in f"{pairs}, {more}".split(", "):
        one, many = pair.split()
        assert plural(one) == many
        assert is_plural(many)
        assert not is_plural(one)
        assert singular(many) == one


def test_the_head_of_a_phrase_is_what_changes():
    assert plural("glass of water") == "glasses of water"
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
