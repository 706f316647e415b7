import pytest

from kbe_graph.checks.telltale import telltales
from kbe_graph.english.wordnet import wordnet
from kbe_graph.question import read

TOLD = [
    ("What are the green things in this salad?", "pea", "green things in"),
    ("What is the multicolored topping on the dessert?", "berry", "multicolored topping on"),
    ("What vegetable is inside this burrito?", "bean", "burrito"),
    ("What birds are swimming here?", "goose", "swimming"),
    ("What animals graze in this meadow?", "cow", "graze"),
    ("What is the horse walking on?", "grass", "walking"),
    ("What wood is the chair built from?", "ash", "wood"),
    ("What is the basket made of?", "bamboo", "made of"),
    ("What country is this dish popular in?", "mexico", "popular"),
    ("Which plant usually grows in such a place?", "fern", "usually"),
    ("What state is this fruit native to?", "florida", "native"),
    ("What european country is this?", "spain", "European"),
    ("What city is likely shown here?", "denver", "likely"),
    ("What do you call this animal with a long skinny neck?", "giraffe", "neck"),
    ("What is on her head?", "hat", "head"),
    ("What country is the largest exporter of this fruit?", "spain", "exporter"),
    ("What animals are allowed in this park?", "dog", "allowed"),
    ("What is being used to not get wet by rain?", "umbrella", "used to not"),
    ("What animal enjoys this fruit?", "monkey", "enjoys"),
    ("What is the name of the winter sport that looks a lot like this one?", "snowboarding", "looks a lot like"),
    ("What bird is sitting on the rock?", "eagle", "rock"),
    ("What animal is hiding?", "cat", "hiding"),
    ("What animal is being milked?", "cow", "milked"),
    ("What livestock is seen here?", "sheep", "livestock"),
    ("Which fruit poisoned a princess in the tale?", "apple", "tale"),
    ("What type of colorful bird is this?", "peacock", "colorful bird is"),
    ("What's the summertime version of this sport?", "water skiing", "summertime version"),
    ("What animal is beside the cows?", "dog", "cow"),
    ("What animals are near the trees?", "giraffe", "trees"),
    ("What is being served in the white mug?", "coffee", "mug"),
    ("What is held in the gray canisters?", "propane", "canisters"),
    ("What country does this food come from?", "italy", "food"),
    ("What do the horses hope for?", "apple", "hope"),
    ("Which team won this sport's championship?", "giant", "won"),
    ("What company is the main competitor to the maker of this?", "apple", "competitor"),
    ("What team wears similar socks to the boy?", "giant", "similar socks to"),
    ("What large maned animal is this cat related to?", "lion", "maned"),
    ("What is the canopy netting for?", "mosquito", "netting for"),
    ("What company was the first to make this machine?", "computer", "first to"),
]
UNTOLD = [
    ("What kind of bird is this?", "pelican"),
    ("What flowers are in the background?", "tulip"),
    ("What plant is covered by the white cloth?", "rose"),
    ("What is the man in the red shirt eating?", "banana"),
    ("What vegetables are on this plate?", "lettuce"),
    ("What kind of bird is on the TV?", "hummingbird"),
    ("What is this animal commonly known as?", "zebra"),
    ("What is the yellow vehicle?", "taxi"),
    ("What US state is this?", "ohio"),
    ("What bird is on the small bowl?", "parakeet"),
    ("What animal can you see?", "zebra"),
    ("What country is this shop in?", "italy"),
    ("What breed of dog is that dog?", "collie"),
    ("What is the name of the bird on top of the animal?", "eagle"),
]


def _words(question: str, answer: str) -> list[str]:
    synsets = wordnet().lookup(answer).synsets
    living = [synset for synset in synsets if synset.lexname in ("noun.animal", "noun.plant", "noun.food")]
    return list(telltales(read(question), (living or synsets)[0].id))


@pytest.mark.parametrize(("question", "answer", "words"), TOLD)
def test_words_that_tell_the_thing_are_found(question: str, answer: str, words: str):
    assert words in _words(question, answer)


@pytest.mark.parametrize(("question", "answer"), UNTOLD)
def test_a_question_that_only_points_tells_nothing(question: str, answer: str):
    assert _words(question, answer) == []
