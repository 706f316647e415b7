from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import pack
from kbe_graph.types import Entity
from kbe_graph.wording.reference import Phrase, Reference, call_by_kind, fitting


def texts(*given: str, answer: str, relation: str) -> list[str]:
    concept, asked = wordnet().synsets(answer)[0].id, pack().relations[relation]
    return [phrase.text for phrase in fitting(list(map(Phrase, given)), concept, asked)]


def test_the_origin_is_asked_of_a_breed_not_of_one_dog():
    given = "the type of dog on her lap", "the dog on her lap"
    assert texts(*given, answer="cocker spaniel", relation="country of origin") == ["the type of dog on her lap"]
    assert texts(*given, answer="cocker spaniel", relation="young") == ["the dog on her lap"]
    assert texts("the dog on her lap", answer="cocker spaniel", relation="country of origin") == ["the dog on her lap"]


def test_the_family_is_asked_of_a_bird_not_of_a_type_of_bird():
    given = "this species of birds", "the specific type of bird that is on the roof", "the bird on the roof"
    assert texts(*given, answer="goose", relation="taxonomic family") == [
        "these birds",
        "the bird that is on the roof",
        "the bird on the roof",
    ]


def test_a_place_is_called_by_its_level_where_the_relation_fits_several():
    given = "the place where this man is"
    assert texts(given, answer="Asia", relation="longest river") == ["the continent where this man is"]
    assert texts(given, answer="Italy", relation="longest river") == ["the country where this man is"]
    assert texts(given, answer="Italy", relation="capital") == ["the country where this man is"]
    assert texts(given, answer="Italy", relation="currency") == ["the country where this man is"]


def test_a_place_on_a_screen_is_called_by_its_level():
    assert texts("the place on the screen", answer="Asia", relation="longest river") == ["the continent on the screen"]


def test_an_animal_is_no_thing_and_teeth_are_counted_of_one():
    thing = Reference((Phrase("the thing in the field"),), "located")
    assert call_by_kind(thing, Entity("COW", concept=wordnet().synsets("cow")[0].id)).phrases == (
        Phrase("the animal in the field"),
    )
    assert call_by_kind(thing, Entity("TOOL", concept=wordnet().synsets("tool")[0].id)) == thing
    one, many = Phrase("the animal shown"), Phrase("the animals shown", plural=True)
    teeth = pack().relations["number of teeth"]
    assert fitting((one, many), wordnet().synsets("cow")[0].id, teeth) == (one,)


def test_a_founding_year_is_asked_of_a_company():
    brand, shop = "the brand of shoes in this image", "the store in this image"
    assert texts(brand, shop, answer="shoe", relation="founding year") == [
        brand,
        "the company behind the store in this image",
    ]


def test_who_governs_is_asked_of_what_is_called_a_sport_or_a_game() -> None:
    given = "the kind of sport this bike is used for", "the game", "the event in this image", "what he is playing"
    assert texts(*given, answer="tennis", relation="governing body") == list(given[:2])
