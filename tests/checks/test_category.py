import pytest
from filter_cases import decide

from kbe_graph.checks.category import Category
from kbe_graph.checks.row import Row


def first(question, answer):
    return decide(Category(), Row(question, answer, answer, "young", "seedling"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What type of sandwich is being served?", "cucumber"),
        ("What kind of fries are on the plate?", "waffle"),
        ("What breed of dogs are in this photo?", "pit bull"),
        ("What kind of horse this is?", "cow"),
        ("What kind of bed is in the photo?", "queen"),
        ("What kind of cigarette is the woman smoking?", "camel"),
        ("What type of switch is on the wall?", "light"),
        ("What shade of green is on the wall?", "lime"),
        ("What type of sinks are shown?", "bathroom"),
    ],
)
def test_an_answer_of_another_kind_is_refused(question, answer):
    assert first(question, answer).reason == "category"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What kind of birds are these?", "seagull"),
        ("What breed of dog is this?", "poodle"),
        ("What type of horse are these horses?", "clydesdale"),
        ("What type of vehicle is this?", "bus"),
        ("What kind of shirt is the man on the right wearing?", "sweatshirt"),
        ("What type of flower is this?", "rose"),
        ("What city is famous for this type of sandwich?", "philadelphia"),
        ("What animal is this?", "giraffe"),
        ("What type of fruit has the starburst center?", "kiwi"),
        ("What kind of plant is seen in this picture?", "roses"),
        ("What type of cow is the brown one?", "hereford"),
        ("What type of building is this?", "hospital"),
        ("What kind of place is this?", "garden"),
    ],
)
def test_an_answer_of_the_kind_is_kept(question, answer):
    assert first(question, answer).keep
