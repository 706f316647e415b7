from kbe_graph.english.property import category, is_kind
from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import wordnet


def test_the_noun_that_is_asked_for() -> None:
    for question, noun in [
        ("What breed of dog is this?", "dog"),
        ("What sport can you use this for?", "sport"),
        ("What type of plane is present?", "plane"),
        ("Which animals are herbivores?", "animals"),
        ("What piece of clothing is this boy putting on?", "clothing"),
        ("Name the material used to make this umbrella?", "material"),
        ("What are the green fruit?", "green fruit"),
        ("Who rides this?", "person"),
        ("What kind of people ride in this?", "person"),
        ("Where are they?", "location"),
        ("Why?", ""),
    ]:
        assert read(question).asks_for == noun


def test_what_else_a_question_asks():
    assert read("What are they doing?").asks("action")
    assert read("Why is he wet?").asks("reason")
    assert not read("How many cats are there?").asks("reason")
    assert read("Is it a bus or a train?").asks("either")
    assert read("What colour is it?").asks("colour")
    assert read("What language is this?").asks("language")
    assert read("What is the bowl made of?").asks("material")
    assert read("What kind of boat is this?").asks_kind


def test_a_category_has_its_main_senses():
    assert [synset.lemmas[0] for synset in category("breed of dog")] == ["dog"]
    assert category("animals")[0].lexname == "noun.Tops"
    assert category("kind") == category("motorcross") == ()


def test_what_lies_below_the_noun_that_is_asked_for_is_of_its_kind():
    dog, animal = (wordnet().synsets(name)[0].id for name in ("dog", "animal"))
    assert is_kind(dog, "animal")
    assert not is_kind(animal, "dog")


def test_key_words_say_what_kind_of_thing_may_answer():
    assert read("Who uses this?").files == {"noun.person", "noun.group", "noun.Tops"}
    assert read("Hm?").files == frozenset()
    assert read("What company made this laptop?").asks("brand")
    assert not read("What animal is this?").asks("brand")
