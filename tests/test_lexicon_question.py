import pytest

from kbe_graph.lexicon.constraints import allowed, asks_for_brand
from kbe_graph.lexicon.question import asked, category, implies, is_kind
from kbe_graph.lexicon.wordnet import wordnet


@pytest.mark.parametrize(
    ("question", "noun"),
    [
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
    ],
)
def test_the_noun_that_is_asked_for(question, noun):
    assert asked(question).noun == noun


def test_what_else_a_question_asks():
    assert asked("What are they doing?").action
    assert asked("Why is he wet?").reason
    assert not asked("How many cats are there?").reason
    assert asked("Is it a bus or a train?").either
    assert asked("What colour is it?").colour
    assert asked("What language is this?").language
    assert asked("What is the bowl made of?").material
    assert asked("What kind of boat is this?").kind


def test_a_category_has_its_main_senses():
    assert [synset.lemmas[0] for synset in category("breed of dog")] == ["dog"]
    assert category("animals")[0].lexname == "noun.Tops"
    assert category("kind") == category("motorcross") == ()


def test_a_noun_that_is_asked_for_implies_all_that_lies_above_it():
    dog, animal, carnivore = (wordnet().synsets(name)[0].id for name in ("dog", "animal", "carnivore"))
    assert implies("breed of dog", carnivore)
    assert not implies("animal", carnivore)
    assert is_kind(dog, "animal")
    assert not is_kind(animal, "dog")


def test_key_words_say_what_kind_of_thing_may_answer():
    assert allowed("Who uses this?") == {"noun.person", "noun.group", "noun.Tops"}
    assert allowed("Hm?") == frozenset()
    assert asks_for_brand("What company made this laptop?")
    assert not asks_for_brand("What animal is this?")
