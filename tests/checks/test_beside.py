import pytest

from kbe_graph.checks.beside import Beside
from kbe_graph.types import IMAGE, Entity, Triplet

SPOKEN_OF = [
    ("How many hours on average do these animals sleep daily?", "cat"),
    ("When was this plane made?", "airplane"),
    ("What are they doing?", "horse"),
    ("What color are they?", "horse"),
    ("How many cows are near the tree?", "cow"),
    ("What color is the saddle's leather on the back of the horse?", "horse"),
    ("What movie is this animal famous in?", "bear"),
    ("What is this animal doing?", "elephant"),
    ("Why aren't these kept as pets?", "giraffe"),
    ("Is this creature a herbivore or an omnivore?", "bear"),
    ("What should one do when confronted with this animal in the wild?", "bear"),
]
NOT_SPOKEN_OF = [
    ("What is the weather like?", "cow"),
    ("Where is this photo taken?", "horse"),
    ("Where is this?", "cow"),
    ("Were these shoes popular in the 1980's or the present?", "cat"),
    ("How many calories per piece?", "strawberry"),
    ("How long must the food in this photo be baked?", "strawberry"),
    ("Why is the sign being held?", "cow"),
    ("How many signs are attached to the post near the horses?", "horse"),
    ("What color is the pillow case behind the cat?", "cat"),
    ("What is the purpose of the green fabric around the horses ankles?", "horse"),
    ("What color is the strange rock on this field of sheep?", "sheep"),
    ("Was this in the 1940's or 50's?", "horse"),
    ("Is it raining or sunny?", "cat"),
    ("Is this healthy?", "pizza"),
    ("Is he snowboarding?", "snowboard"),
    ("What are the cats on top of?", "cat"),
    ("What is the green area that the sheep are in called?", "sheep"),
    ("A picture like this is called what?", "cat"),
    ("What kind of animal is this?", "cat"),
    ("What is this stuffed bear wearing?", "bear"),
    ("What is this animal?", "bear"),
    ("What brand is this?", "cat"),
    ("Who invented this sport?", "surfing"),
    ("What is the animal in the cage called?", "bear"),
    ("How was this cat baked?", "cat"),
]


def _keeps(question: str, *triplets: Triplet) -> bool:
    return Beside().decide(question, triplets).keep


def _depicts(name: str) -> Triplet:
    return Triplet(IMAGE, "depicts", Entity(name.upper()))


@pytest.mark.parametrize(("question", "thing"), SPOKEN_OF)
def test_a_raw_question_speaks_of_a_thing_by_its_kind_or_a_pronoun_alone(question: str, thing: str) -> None:
    assert _keeps(question, _depicts(thing))


@pytest.mark.parametrize(("question", "thing"), NOT_SPOKEN_OF)
def test_what_the_raw_question_does_not_speak_of_is_not_asked(question: str, thing: str) -> None:
    assert not _keeps(question, _depicts(thing))


def test_what_is_made_is_no_animal() -> None:
    path = [_depicts("elephant")]
    assert Beside().decide("How would these animals be described?", path, answer="large").keep
    assert not Beside().decide("How would these animals be described?", path, answer="Human made").keep
    assert Beside().decide("What is the plane made of?", [_depicts("airplane")], answer="metal").keep


def test_what_the_answer_tells_better_or_contradicts_is_not_asked():
    def keeps(answer: str) -> bool:
        return Beside().decide("Where do these animals live?", [_depicts("elephant")], answer=answer).keep

    assert keeps("africa")
    assert not keeps("baby elephants")
    assert not keeps("indian")
    assert not keeps("giraffe")


def test_an_answer_of_the_kind_says_nothing_against_a_thing_that_the_question_names() -> None:
    def keeps(question: str, answer: str, thing: str) -> bool:
        return Beside().decide(question, [_depicts(thing)], answer=answer).keep

    assert keeps("What breed of horse is that?", "mustang", "horse")
    assert keeps("What food do these animals eat?", "hay", "horse")
    assert keeps("What is this animals main food source?", "fish", "bear")
    assert keeps("What is a baby version of this animal?", "kitten", "cat")
    assert keeps("How is this vehicle powered?", "electricity", "train")
    assert not keeps("What is the cat looking at?", "dog", "cat")
    assert not keeps("What food is on the horse?", "carrot", "rider")
    assert not keeps("What fruit tops this cake?", "blueberries", "orange")
    assert not keeps("What type of vehicle is this?", "truck", "train")
    assert not keeps("What type of plane is this?", "glider", "airplane")
    assert not keeps("What bird is that?", "parrot", "penguin")
    assert not keeps("What toy train does this remind you of?", "thomas", "train")


def test_a_path_through_what_the_raw_question_names_may_end_elsewhere() -> None:
    riding = Triplet(Entity("MAN"), "riding", Entity("HORSE"))
    assert _keeps("How old is this man?", _depicts("man"), riding)
    assert not _keeps("How old is this church?", _depicts("man"), riding)


def test_people_of_another_number_are_other_people() -> None:
    holding = Triplet(Entity("MAN"), "holding", Entity("UMBRELLA"))
    path = (_depicts("man"), holding)
    assert _keeps("What is the man doing?", *path)
    assert not _keeps("What are the men near the water doing?", *path)
    assert not _keeps("What are they doing?", *path)
    assert Beside().decide("What are they doing?", path, many=True).keep


def test_another_thing_that_is_held_or_of_the_kind_is_asked_about() -> None:
    holding = Triplet(Entity("WOMAN"), "holding", Entity("SUITCASE"))
    assert not _keeps("What is the woman doing with the electronic device in her hand?", _depicts("woman"), holding)
    assert _keeps("What is the woman holding in her hand?", _depicts("woman"), holding)
    path = (_depicts("woman"), holding)
    assert not Beside().decide("What is the woman doing?", path, answer="using phone").keep
    assert Beside().decide("What is the woman doing?", path, answer="walking").keep
    cutting = Triplet(Entity("WOMAN"), "cutting", Entity("BREAD"))
    assert not _keeps("What is the woman doing to her cake?", _depicts("woman"), cutting)


def test_where_sorts_are_counted_several_are_seen() -> None:
    assert not _keeps("How many species of animals are in the field?", _depicts("giraffe"))
    assert _keeps("How many animals are in the field?", _depicts("giraffe"))
